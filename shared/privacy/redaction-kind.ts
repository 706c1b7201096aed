/** What is taken out of text that leaves the product. */
export const REDACTION_KINDS = ["phone", "address", "order", "email", "id-number", "card", "account"] as const;

export type RedactionKind = (typeof REDACTION_KINDS)[number];

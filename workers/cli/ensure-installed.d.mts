/** Types of `ensure-installed.mjs`, which is plain JavaScript because it runs before anything is installed. */
export declare function oldNodeSentence(version: string): string | null;
export declare function brokenLockSentence(text: string | null): string | null;
export declare function isInstalled(lockText: string, installedText: string | null): boolean;
export declare function npmFailureSentence(words: string): string;
export declare function ensureInstalled(say: (line: string) => void): Promise<string | null>;
export declare function ownNode(): string;

/** What the edge says of a room's refusals: the room gives codes alone. */
export const REFUSALS = {
  room_not_found: "The room does not exist; PUT /v1/rooms/:room first",
  room_stream_full: "Too many clients follow this room; try again later",
  product_not_found: "The room has no such product or SKU; nothing was changed",
  turn_not_found: "The room has no such turn",
  upgrade_required: "The room did not take the position; send after=<frame number>",
  internal: "The room did not open a stream",
} as const;

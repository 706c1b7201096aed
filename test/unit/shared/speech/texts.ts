/** Arbitrary text for properties: pieces that cutting and reading care about, among any code units at all. */
import fc from "fast-check";

const TRICKY = (
  "。 ！ ？ … …… . .. ... ! ? ； ， 、 ： , : ; “ ” 「 」 （ ） ( ) 《 》 【 】 [ ] \" ' * ** _ ` ~ ～ - — / \\ | # > < + & % @ ^ " +
  "3 9 .5 39.9 1,000.00 2025/01/01 10:30 1/3 0595-23865596 3.5折 ￥199.9 ¥ 元 折 件 个 ml kg w 万 No. no. v2.0 e.g. Dr. A a XL " +
  "https://a.com/x?b=1 www.a.com a@b.com [a](b) <think> </think> 微笑 笑 今天 面膜 的 了 👍🏽 👨‍👩‍👧 🎉 1️⃣ ❤️ (^_^) T_T"
)
  .split(" ")
  .concat(" ", "\n", "\r\n", "\t", "\u3000", "\ud83d", "\udc4d", "\u200d", "\u0000");

/** Any 16-bit code units, lone surrogates included. */
const codeUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units));

export const anyText = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TRICKY) }, { weight: 1, arbitrary: codeUnits }), {
    maxLength: 60,
  })
  .map((parts) => parts.join(""));

/** Marks of mood and acting that models write between brackets or asterisks: for the performer, not for the audience. */

/** What makes a bracket a direction: a mood, a gesture, a sound, a matter of staging. */
const DIRECTIONS =
  "微微一笑|微笑|大笑|轻笑|苦笑|偷笑|坏笑|憨笑|傻笑|狂笑|笑一笑|笑笑|笑容|笑眯眯|笑|哭|流泪|开心|高兴|快乐|兴奋|激动|惊讶|惊喜|震惊|生气|愤怒|" +
  "难过|伤心|委屈|害羞|脸红|撒娇|俏皮|调皮|得意|无奈|尴尬|疑惑|好奇|感动|期待|自信|眨眨眼|眨眼|挥挥手|挥手|招手|招招手|鼓掌|拍手|点点头|点头|" +
  "摇摇头|摇头|歪头|叹气|叹口气|深呼吸|停顿|沉默|思考|比心|鞠躬|竖大拇指|竖起大拇指|比划|指向屏幕|指向链接|拿起|举起|展示|转身|转圈|凑近|靠近镜头|面向镜头|" +
  "看向镜头|对着镜头|压低声音|提高音量|提高声音|清嗓子|清清嗓子|咳嗽|动作|语气|表情|旁白|音效|背景音乐|掌声|欢呼";
/** What may stand beside one: how, for how long, with what. Alone these are ordinary words. */
const COMPANIONS =
  "微微|轻轻|轻声|悄悄|慢慢|缓缓|连连|十分|非常|一边|边|突然|温柔|热情|神秘|认真|亲切|严肃|激昂|欢快|夸张|双手|手里|产品|商品|样品|面对|对|向|看着|大家|" +
  "观众|镜头|屏幕|声音|音量|语调|说|道|地|着|的|了|状|声|一下|片刻|一会儿|几秒|\\d秒|[一两三]秒|一|[，、：:\\s]";
const STAGED = new RegExp(`^(?:${DIRECTIONS}|${COMPANIONS}){1,10}$`, "u");
const DIRECTION = new RegExp(DIRECTIONS, "u");
const ENGLISH =
  /^(?:smil(?:e|es|ing)|laugh(?:s|ing|ter)?|giggl(?:e|es|ing)|chuckl(?:e|es|ing)|grin(?:s|ning)?|wink(?:s|ing)?|sigh(?:s|ing)?|nod(?:s|ding)?|wav(?:e|es|ing)|claps?|clapping|bows?|pauses?|whisper(?:s|ing)?|gasp(?:s|ing)?|blush(?:es|ing)?|happy|happily|sad|angry|excited|excitedly|cheerful|surprised|neutral|joy|fear|disgust|sadness|anger|bgm)$/iu;
const CHARS_MAX = 16;

/**
 * True for `微笑`, `开心地笑`, `拿起产品`, `停顿2秒`, `smiles`: the whole text is made of words of staging, one of them a
 * direction. Facts in brackets are none: `红色`, `30天内`, `开心果味`.
 */
export function isStageDirection(content: string): boolean {
  const text = content.trim();
  if (text === "" || text.length > CHARS_MAX) return false;
  return ENGLISH.test(text) || (DIRECTION.test(text) && STAGED.test(text));
}

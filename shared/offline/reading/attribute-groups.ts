/** What viewers call a property, and what merchants call it. Order is the order of answers; a narrow group hides a wide one. */
export type AttributeGroup = {
  readonly key: string;
  /** Spoken name, for an admission. */
  readonly label: string;
  /** In a question, in one spelling without spaces. */
  readonly asked: RegExp;
  /** Names of attributes, or labels inside a value ("面料: …"). */
  readonly names: RegExp;
  /** Groups that are not asked when this one is: "填充物多重" asks no weight of the whole. */
  readonly hides?: readonly string[];
};

/** Materials that "是…的吗" asks about. */
const MATERIALS = "棉|麻|丝|绒|羽|毛|乳胶|木|竹|钢|铁|铝|铜|玻璃|陶瓷|塑料|硅胶|皮|涤纶|聚酯|化纤|莫代尔|氨纶|海绵";

export const ATTRIBUTE_GROUPS: readonly AttributeGroup[] = [
  {
    key: "filling-weight",
    label: "填充重量",
    asked:
      /(填充物?|充绒|充棉|里面|芯|绒)[^，。？?！!]{0,4}(多重|重量|多少克|几克|几斤|多少斤|克重)|充绒量|填充量|几斤的?(被|芯|枕)|被子?.{0,2}(几斤|多重)/u,
    names: /填充.*(重|克)|充绒量|填充量/u,
    hides: ["filling", "weight", "material"],
  },
  {
    key: "filling",
    label: "填充物",
    asked: /填充|里面(是|装|填|都?是?什么|啥|塞)|内芯|内胆|芯子?(是|里)|装的?是?(什么|啥)|塞的|含绒|绒子|内充/u,
    names: /填充|内芯|内充|含绒|内胆|芯材/u,
    hides: ["material"],
  },
  {
    key: "cover",
    label: "面料",
    asked: /(外层|外面|表面|表层|套子|外套|里层|内层|里料|外料|面子)(是|的)?.{0,4}(什么|啥|面料|材质|料|布|做)/u,
    names: /外层|里层|外套|面料|外用|席面|套/u,
    hides: ["material"],
  },
  {
    key: "material",
    label: "材质",
    asked: new RegExp(
      `材质|材料|面料|布料|料子|成分|成份|原料|用料|(什么|啥|哪种)(做|布|木|料|绒|棉|皮|毛|草|花)|做的|(是|含|有|纯(?=棉|麻|毛|羊|羽|木|铜|银|丝)|全(?=棉|麻|毛|羊|羽|木|铜|丝))[^，。？?！!]{0,6}(${MATERIALS})[^，。？?！!]{0,5}(吗|么|嘛|不|吧|没|[?？]|$)`,
      "u",
    ),
    names: /材质|材料|面料|成分|成份|原材料|主材|辅材|花材|椅身|扶手|花草种类|^鲜花|^颈圈$|^拉带$|^搭扣$/u,
  },
  {
    key: "bed",
    label: "适用床的尺寸",
    asked:
      /床.{0,4}(能用|可以用|能铺|合适|适合|够|通用|铺)|(适合|适用|配|铺|用在?)[^，。？?！!]{0,4}(多大|几米|多宽|\d+(\.\d+)?(m|米)?)的?床|多大的?床|几米的?床|床多大/u,
    names: /床尺寸|适用床|^(尺寸|规格|产品尺寸|规格尺寸)$/u,
    hides: ["size", "suit"],
  },
  {
    key: "size",
    label: "尺寸",
    asked:
      /尺寸|规格|多大|多长(?!时间|久)|多宽|多高|多厚|长宽|宽度|大小|几米|几公分|多少(厘米|公分|cm|米)|有(没有)?(更)?(大|小|长|宽)一?(点|些)|(大|小)一?点的|直径|高度|长度|厚度|几寸|size/u,
    names: /尺寸|规格|长度|高度|厚度|大小|方形|圆形|尺码/u,
  },
  {
    key: "weight",
    label: "重量",
    asked: /重量|多重|几斤|多少斤|几公斤|多少公斤|净重|毛重|多少克|克重|(沉|重)不(沉|重)|(沉|重)(吗|么|嘛)/u,
    names: /重量|净重|毛重|克重/u,
  },
  {
    key: "origin",
    label: "产地",
    asked:
      /产地|(哪|哪里|哪儿|哪个地方|啥地方|什么地方|哪个国家|哪国)(产|生产|做|造|的货|出)|产自|哪里的(?!链接|券)|是?国产|进口|中国(产|制造)|哪国/u,
    names: /产地|种植地|生产地/u,
  },
  {
    key: "standard",
    label: "执行标准",
    asked: /执行(什么|啥|哪个)?标准|什么标准|啥标准|哪个标准|标准号|国标|产品标准|符合.{0,4}标准/u,
    names: /执行标准|产品标准/u,
  },
  {
    key: "safety",
    label: "安全类别",
    asked: /安全类|安全技术|安全等级|[abc]类|(a|b|c|几|什么|哪)类(的|吗|标准)?|是几类/u,
    names: /安全/u,
    hides: ["standard"],
  },
  { key: "grade", label: "产品等级", asked: /产品等级|什么等级|几等品|一等品|优等品|合格品|等级/u, names: /等级/u },
  {
    key: "craft",
    label: "工艺",
    asked: /工艺|怎么织|印花|刺绣吗|是刺绣|印染|提花|怎么做的|缝制|立衬/u,
    names: /工艺|立衬/u,
  },
  { key: "threads", label: "根数", asked: /几根|多少根|几支|多少支|支数|根数/u, names: /根数|支数/u },
  {
    key: "colour",
    label: "颜色",
    asked:
      /颜色|什么色|啥色|哪些色|几个色|几种色|什么配色|配色|(红|橙|黄|绿|青|蓝|紫|粉|黑|白|灰|棕|咖|杏|驼|褐)色?(的)?(有|还有|吗|么|嘛|没)|有(没有)?[^，。？?！!]{0,3}(红|橙|黄|绿|青|蓝|紫|粉|黑|白|灰|棕|咖|杏|驼|褐)色?/u,
    names: /颜色|配色|花色/u,
  },
  { key: "install", label: "安装方式", asked: /安装|组装|自己装|怎么装|要装|用装/u, names: /安装|组装/u },
  {
    key: "people",
    label: "适用人数",
    asked: /几个?人(用|睡|坐|盖|的)?|单人还是|双人(的|用|吗)|适用人数|多少人/u,
    names: /人数/u,
  },
  { key: "load", label: "承重", asked: /承重|能承|承受|坐得?住|压坏|载重/u, names: /承重/u },
  { key: "voltage", label: "电压", asked: /电压|多少伏|几伏|220v|110v/u, names: /电压/u },
  { key: "wattage", label: "功率", asked: /功率|多少瓦|几瓦|多少w|几w|费电/u, names: /功率/u },
  { key: "energy", label: "供电方式", asked: /充电|usb|插电|电池|能源|供电/u, names: /usb|能源|电池|供电|电源/iu },
  { key: "cable", label: "线长", asked: /线(有|是)?多长|线长|电线|数据线/u, names: /线长/u, hides: ["size"] },
  { key: "bulb", label: "灯泡", asked: /灯泡|带灯|光源/u, names: /灯泡|光源/u },
  { key: "shade", label: "遮光率", asked: /遮光|透光|避光/u, names: /遮光/u },
  { key: "model", label: "型号", asked: /型号|哪一?型/u, names: /型号/u },
  {
    key: "pieces",
    label: "包含的件数",
    asked:
      /几件套?(?!货)|一?(盒|包|袋|箱|套|份|罐)(里|有|是|装)*(几|多少)(个|枚|颗|片|只|块|条|支)|(包含|包括|里面有|里面都|都有|有)(些|几样)?(什么|啥)(东西|配件)?|一套(有|是|里)|几个装|几朵|多少朵|配(什么|啥)|送(枕套|床单)|有枕套|带枕套|清单|几片|几颗|几只装|几条装|几双/u,
    names: /件数|数量|朵数|包含|清单|^规格$/u,
  },
  { key: "fillcolour", label: "涂漆", asked: /涂漆|油漆|什么漆|啥漆|刷漆|上漆/u, names: /漆/u },
  {
    key: "range",
    label: "配送范围",
    asked: /配送范围|哪些地方(能|可以)?送|送到|送货|能(不能)?送(?!礼|人|什么|啥)/u,
    names: /配送/u,
  },
];

/** Words of care and use that merchants answer in prose. Any of `asked` in the question looks for `said` in the prose. */
export const PROSE_TOPICS: readonly { readonly label: string; readonly asked: RegExp; readonly said: RegExp }[] = [
  {
    label: "洗涤方式",
    asked:
      /怎么洗|如何洗|能洗|可以?洗|好洗|机洗|手洗|水洗(吗|么|嘛|不)|能水洗|清洗|洗涤|洗衣机|干洗|拆洗|下水|洗(吗|么|嘛)/u,
    said: /机洗|手洗|水洗|干洗|洗涤|清洗|漂洗|拆洗|可洗|浸泡/u,
  },
  { label: "烘干和晾晒", asked: /烘干|暴晒|晒(吗|么|干)|能晒|可以晒|晾/u, said: /烘干|晒|晾|通风/u },
  {
    label: "掉色缩水",
    asked: /掉色|褪色|缩水|起球|掉毛|变形|起皱|跑绒|钻绒/u,
    said: /掉色|褪色|缩水|起球|掉毛|浮毛|变形|皱|跑绒|钻绒|色差/u,
  },
  {
    label: "活动时间",
    asked: /(活动|优惠|价格?).{0,4}(到|截止)|到几号|什么时候(结束|截止)|活动(几|多)/u,
    said: /\d+月\d+日/u,
  },
  { label: "气味", asked: /味道(?!怎)|异味|气味|有味|臭|甲醛/u, said: /味道|异味|气味|甲醛|[除散去]味/u },
  { label: "定制", asked: /定制|定做|刻字|刻名/u, said: /定制|定做|刻/u },
  { label: "防虫防霉", asked: /虫|发霉|长霉/u, said: /虫|霉/u },
  {
    label: "保养",
    asked: /保养|打理|存放|收纳方法|发霉|防潮|怎么养|怎么用|使用方法|注意(什么|事项|啥)/u,
    said: /保养|存放|干燥|通风|防潮|发霉|避免|注意|使用|清洁/u,
  },
  { label: "会不会扎", asked: /扎人|扎不扎|扎(吗|么|嘛)|刺挠/u, said: /扎人/u },
  {
    label: "适用人群",
    asked: /婴儿|宝宝|小孩|孩子|儿童|孕妇|老人|过敏|敏感肌/u,
    said: /婴|宝宝|小孩|孩子|儿童|孕妇|老人|过敏|敏感/u,
  },
  { label: "保质期", asked: /保质期|几个月过期|过期|生产日期|新鲜(吗|么|嘛)|日期(新|好)/u, said: /保质期|生产日期/u },
  { label: "配件", asked: /电池|灯泡|配件|说明书|螺丝|支架/u, said: /电池|灯泡|配件|说明书|螺丝|支架/u },
];

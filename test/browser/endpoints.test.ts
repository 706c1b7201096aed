/** The panel of inference endpoints in a real browser, against the running product and a scripted endpoint. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it, onTestFinished } from "vitest";
import { startEndpoint } from "../helpers/endpoint.ts";
import { startProduct, type ProductOptions } from "../helpers/product.ts";
import { enter, launchBrowser, openPage } from "./launch-browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** A visitor in the first room of a product of its own. */
async function openDesk(settings: ProductOptions["settings"] = {}) {
  const product = await startProduct({ settings });
  onTestFinished(() => product.stop());
  const desk = await openPage(browser);
  await enter(desk.page, product.url, product.tokens.page);
  return desk;
}

/** The value of a figure, by its label. */
function figure(page: Page, label: string) {
  return page
    .locator(".endpoint-figure")
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator("dd");
}

describe("the panel of endpoints", () => {
  it("shows the deployment's endpoint, and counts a turn that it has served", async ({ expect }) => {
    const endpoint = await startEndpoint([{ texts: ["这款是纯棉的，放心拍。"] }]);
    const { page, errors } = await openDesk({ INFERENCE_BASE_URL: endpoint.url, INFERENCE_MODEL: "scripted" });
    const button = page.locator("#endpoints-button");
    expect(await button.getAttribute("aria-expanded")).toBe("false");
    await button.click();
    const card = page.locator(".endpoint");
    await card.getByText("default", { exact: true }).waitFor();
    expect(await card.innerText()).toMatch(/正常[\s\S]*主用 · vllm · scripted/);
    await card.evaluate((element) => element.setAttribute("data-before", ""));
    // The panel leaves the room usable: the question is asked while it is open.
    await page.locator("#ask-text").fill("1号链接是什么料子？");
    await page.locator("#ask-send").click();
    await figure(page, "回合").getByText("1", { exact: true }).waitFor();
    expect(await figure(page, "首字 p50").innerText()).toMatch(/^\d+ ms$/);
    expect(await card.locator(".endpoint-load").innerText()).toMatch(/^在途 \d+ · 上限 [\d.]+ · 槽位 \d+$/);
    expect(await page.locator(".endpoint[data-before]").count()).toBe(1);
    expect(errors).toEqual([]);

    await page.locator("#endpoints-scroller").focus();
    await page.keyboard.press("Escape");
    expect(await page.locator("#endpoints").isVisible()).toBe(false);
    expect(await button.evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.locator("#turns .turn summary").first().click();
    const detail = page.locator("#turns .turn-detail");
    await detail.getByText("default 收下", { exact: false }).waitFor();
    expect(await detail.innerText()).toMatch(/default（主用） · 端点首字 \d+ ms/);
    expect(errors).toEqual([]);
  });

  it("says how to add an endpoint while there is none", async ({ expect }) => {
    const { page, errors } = await openDesk();
    await page.locator("#endpoints-button").click();
    await page.locator("#endpoints-none").getByText("离线策略", { exact: false }).waitFor();
    expect(await page.locator("#endpoints-none pre").innerText()).toMatch(/^npx kaibo endpoint set /);
    expect(errors).toEqual([]);
  });

  it("is not there for a token that may not read endpoints", async ({ expect }) => {
    const refused = Promise.withResolvers<void>();
    const product = await startProduct();
    onTestFinished(() => product.stop());
    const { page } = await openPage(browser);
    page.on("response", (response) => {
      if (response.url().endsWith("/v1/endpoints") && response.status() === 403) refused.resolve();
    });
    await enter(page, product.url, product.tokens.room);
    await refused.promise;
    await page.locator("#ask-text").waitFor();
    expect(await page.locator("#endpoints-button").isVisible()).toBe(false);
    expect(await page.locator(".notice").count()).toBe(0);
  });
});

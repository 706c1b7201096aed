/** Chromium for tests, and a fresh visitor in it. */
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Longest wait for one thing to happen on the page, ms. */
const STEP_MS = 15_000;

export type Desk = {
  readonly page: Page;
  /** Errors on the console and uncaught exceptions, refused scripts and styles among them. */
  readonly errors: string[];
};

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A visitor with no page open, who reads Chinese. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Desk> {
  const context = await browser.newContext({ locale: "zh-CN", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  return { page, errors };
}

/** Enters with a link's token, and the first room if there is a choice. */
export async function enter(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/#token=${token}`);
  const firstRoom = page.locator("dialog[open] .room-row").first();
  await firstRoom.or(page.locator("#ask-text")).filter({ visible: true }).first().waitFor();
  if (await firstRoom.isVisible()) await firstRoom.click();
  await page.locator('#link-state[data-status="connected"]').waitFor();
}

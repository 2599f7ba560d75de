// Drives a real Chromium for browser.go: one JSON command a line on standard
// input, {"do", …}, and one answer a line, {"value"} or {"error"}.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = join(process.env.MNOTE_CI_CACHE, 'npm', 'node_modules');
const { chromium } = await import(pathToFileURL(join(modules, 'playwright-core', 'index.mjs')));
const axe = readFileSync(join(modules, 'axe-core', 'axe.min.js'), 'utf8');

const patience = 15000;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let context, page, faults, elsewhere;

const ops = {
  // A new browser window; script: false switches scripts off.
  async open({ url, locale = 'zh-CN', scheme = 'light', script = true }) {
    if (context) await context.close();
    context = await browser.newContext({ locale, colorScheme: scheme, javaScriptEnabled: script, viewport: { width: 1100, height: 900 } });
    context.setDefaultTimeout(patience);
    page = await context.newPage();
    faults = [];
    elsewhere = [];
    const home = new URL(url).origin;
    page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') faults.push(`${m.text()} (${m.location().url})`); });
    page.on('pageerror', (e) => faults.push(String(e)));
    page.on('request', (r) => { if (new URL(r.url()).origin !== home) elsewhere.push(r.url()); });
    await page.goto(url);
    await page.waitForURL((u) => u.pathname === '/');
  },
  async goto({ url }) { await page.goto(new URL(url, page.url()).href); },
  async url() { return page.url(); },
  async click({ on }) { await page.locator(on).first().click(); },
  async focus({ on }) { await page.locator(on).first().focus(); },
  async focused() { return page.evaluate(() => document.activeElement.id); },
  async press({ key }) { await page.keyboard.press(key); },
  async fill({ on, text }) { await page.locator(on).first().fill(text); },
  async select({ on, text }) { await page.locator(on).first().selectOption(text); },
  async text({ on }) { return page.locator(on).first().innerText(); },
  async attribute({ on, name }) { return page.locator(on).first().getAttribute(name); },
  async count({ on }) { return page.locator(on).count(); },
  async visible({ on }) { return page.locator(on).first().isVisible(); },
  async wait({ on, state = 'visible' }) { await page.locator(on).first().waitFor({ state }); },
  async place({ on }) { return page.locator(on).first().boundingBox(); },
  async clickAt({ x, y }) { await page.mouse.click(x, y); },
  async width({ pixels }) { await page.setViewportSize({ width: pixels, height: 900 }); },
  // By how much a thing, and the page, are wider than what is seen of them.
  async hidden({ on }) {
    return page.locator(on).first().evaluate((e) => Math.max(e.scrollWidth - e.clientWidth, document.documentElement.scrollWidth - innerWidth));
  },
  // What a screen reader would meet: role and name of everything.
  async tree({ on }) { return page.locator(on).first().ariaSnapshot(); },
  async axe() {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document));
    return violations.map((v) => `${v.impact}: ${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`);
  },
  // A page of another site, in the same browser, sends a form and a fetch here.
  async forge({ page: url, action }) {
    const other = await context.newPage();
    await other.goto(url);
    const answers = [];
    other.on('response', (r) => { if (r.url().startsWith(action)) answers.push(r.status()); });
    await other.evaluate(() => window.reach());
    await Promise.all([other.waitForNavigation(), other.locator('form button').click()]);
    const text = await other.locator('main').innerText();
    await other.close();
    return { answers, text };
  },
  async faults() { return [...faults, ...elsewhere.map((u) => 'loaded from elsewhere: ' + u)]; },
  async shot({ file }) { await page.screenshot({ path: file, fullPage: true }); },
};

console.log(JSON.stringify({ value: await browser.version() }));
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: (await ops[command.do](command)) ?? null }));
  } catch (e) {
    console.log(JSON.stringify({ error: `${command.do} ${JSON.stringify(command)}: ${e}` }));
  }
}
await browser.close();

/** What a session runs in, as far as its user agent says; null where it says nothing we know. */
export interface Device {
  browser: string | null
  system: string | null
  mobile: boolean
}

// The more particular ones first: Edge calls itself Chrome, Chrome calls itself Safari.
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^python-|^Python/, 'Python'],
  [/^node\b|^undici\b/, 'Node.js'],
]
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b|\biPad\b|\biPod\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Browser and system out of a user agent. */
export function deviceOf(userAgent: string): Device {
  const named = (list: readonly [RegExp, string][]) =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
  return {
    browser: named(browsers),
    system: named(systems),
    mobile: /\bMobile\b|\bAndroid\b|\biPhone\b|\biPad\b/.test(userAgent),
  }
}

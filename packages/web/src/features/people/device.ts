/** Browser and system of a session, from its user agent; null if unknown. */
export interface Device {
  browser: string | null
  system: string | null
  mobile: boolean
}

// Specific ones first: Edge also identifies as Chrome, and Chrome as Safari.
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

/** Parses browser and system from a user agent. */
export function deviceOf(userAgent: string): Device {
  const named = (list: readonly [RegExp, string][]) =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
  return {
    browser: named(browsers),
    system: named(systems),
    mobile: /\bMobile\b|\bAndroid\b|\biPhone\b|\biPad\b/.test(userAgent),
  }
}

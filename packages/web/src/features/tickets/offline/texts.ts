export type Texts = Record<string, unknown>

/** Pure. The first language we speak, of those chosen before and those of the browser; else German. */
export function languageOf(chosen: readonly (string | null)[], browser: readonly string[]): 'de' | 'en' {
  const wanted = [...chosen, ...browser.map((tag) => tag.slice(0, 2).toLowerCase())]
  return wanted.find((each) => each === 'de' || each === 'en') ?? 'de'
}

/** Pure. Texts by their path; the path itself where there is none. */
export function textsOf(texts: Texts): (path: string) => string {
  return (path) => {
    const found = path
      .split('.')
      .reduce<unknown>((level, part) => (level as Texts | undefined)?.[part], texts)
    return typeof found === 'string' ? found : path
  }
}

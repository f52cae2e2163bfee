import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { brandStore, productName } from './brand.ts'
import { firstScreens } from './firstScreens.ts'

/** Languages of the console; German is the default. */
export const languages = ['de', 'en'] as const
export type Language = (typeof languages)[number]

const storageKey = 'leitstand.language'

type Texts = { default: Record<string, unknown> }

/** The texts of each language in two parts, those of the first screens and the rest, and both in one. */
const parts: Record<Language, Record<'first' | 'rest' | 'all', () => Promise<Texts>>> = {
  de: {
    first: () => import('virtual:texts/de/first'),
    rest: () => import('virtual:texts/de/rest'),
    all: () => import('virtual:texts/de/all'),
  },
  en: {
    first: () => import('virtual:texts/en/first'),
    rest: () => import('virtual:texts/en/rest'),
    all: () => import('virtual:texts/en/all'),
  },
}

/** What every text can name. */
const defaultVariables = { product: '' }

const complete = new Set<Language>()

/** Loads all texts of the language in use; screens other than the first ones wait for it. */
export async function loadAllTexts(language: Language = currentLanguage()): Promise<void> {
  if (complete.has(language)) return
  const { default: texts } = await parts[language].rest()
  i18next.addResourceBundle(language, 'translation', texts, true, true)
  complete.add(language)
}

/** Whether a string is one of our languages. */
export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value)
}

/**
 * Initial language: `?lang=` of the address, else the stored choice, else the default of the brand, else the
 * browser's, else German.
 */
export function detectLanguage(
  search: string,
  stored: string | null,
  browser: readonly string[],
  ofBrand?: string,
): Language {
  const asked = new URLSearchParams(search).get('lang')
  if (isLanguage(asked)) return asked
  if (isLanguage(stored)) return stored
  if (isLanguage(ofBrand)) return ofBrand
  return browser.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'de'
}

/** Whether the screen of an address (`#/path?search`) starts with the first part of the texts. */
export function startsWithFirst(hash: string): boolean {
  const path = hash.replace(/^#/, '').split('?')[0] ?? ''
  return path === '' || path === '/' || firstScreens.includes(path)
}

/** Loads the initial language's texts and initializes i18next. Called once before the first render. */
export async function startI18n(): Promise<void> {
  const language = detectLanguage(
    hashSearch(),
    storedLanguage(),
    navigator.languages,
    brandStore.get()?.defaultLanguage,
  )
  const part = startsWithFirst(location.hash) ? 'first' : 'all'
  const { default: texts } = await parts[language][part]()
  if (part === 'all') complete.add(language)
  defaultVariables.product = productName(language)
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: texts } } as never,
    interpolation: { escapeValue: false, defaultVariables },
    returnNull: false,
  })
  i18next.services.formatter?.add('number', formatCount)
  // A language from the address applies to this tab, and survives a reload of another screen.
  if (isLanguage(new URLSearchParams(hashSearch()).get('lang'))) remember('sessionStorage', language)
  apply(language)
}

const counts = new Map<string, Intl.NumberFormat>()

/** Numbers in texts: `{{count, number}}`. i18next creates an Intl object for each of them, which takes longer than the text. */
export function formatCount(value: number | bigint, language: string | undefined): string {
  const tag = language ?? currentLanguage()
  let format = counts.get(tag)
  if (!format) {
    format = new Intl.NumberFormat(tag)
    counts.set(tag, format)
  }
  return format.format(value)
}

/** Switches the language and loads all its texts on first use. The choice is stored in this browser. */
export async function setLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    i18next.addResourceBundle(language, 'translation', (await parts[language].first()).default)
  }
  await loadAllTexts(language)
  defaultVariables.product = productName(language)
  await i18next.changeLanguage(language)
  remember('localStorage', language)
  remember('sessionStorage', language)
  apply(language)
}

/** Names the platform in all texts as the brand does; texts on the screen follow with `changeLanguage`. */
export async function renameProduct(): Promise<void> {
  defaultVariables.product = productName(currentLanguage())
  await i18next.changeLanguage(currentLanguage())
}

/** The language in use. */
export function currentLanguage(): Language {
  return isLanguage(i18next.language) ? i18next.language : 'de'
}

function apply(language: Language): void {
  document.documentElement.lang = language
}

function hashSearch(): string {
  const at = location.hash.indexOf('?')
  return at < 0 ? '' : location.hash.slice(at)
}

function remember(storage: 'localStorage' | 'sessionStorage', language: Language): void {
  try {
    window[storage].setItem(storageKey, language)
  } catch {
    // Storage is unavailable: the choice lasts for this page.
  }
}

function storedLanguage(): string | null {
  try {
    return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

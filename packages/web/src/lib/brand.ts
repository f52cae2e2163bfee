import type { PublicBrand } from '@leitstand/contract/branding'
import { createContext, useContext } from 'react'
import { createStore, useStore } from './store.ts'

/** The brand that the server wrote into the page, so that nothing of another look is seen first. */
function brandOfPage(): PublicBrand | null {
  const text = globalThis.document?.querySelector?.<HTMLMetaElement>('meta[name=brand]')?.content
  return text === undefined ? null : JSON.parse(text)
}

/** The brand of the domain the console was opened under; null: the defaults. */
export const brandStore = createStore<PublicBrand | null>(brandOfPage())

/** A brand that only a part of the page has: the preview of settings that are not stored yet. */
export const BrandContext = createContext<PublicBrand | null>(null)

export function useBrand(): PublicBrand | null {
  const stored = useStore(brandStore)
  return useContext(BrandContext) ?? stored
}

/** Whether this is part of the preview of a brand, which is only looked at: it takes no keys of the page. */
export function useIsPreview(): boolean {
  return useContext(BrandContext) !== null
}

/** What the platform is called in texts. */
export function productName(language: 'de' | 'en'): string {
  const brand = brandStore.get()
  return brand?.isBranded ? brand.pages[language].title : 'Leitstand'
}

/** Style of a page with an image behind it. */
export function backgroundOf(image: string | null | undefined | false) {
  return image ? { background: `url("${image}") center / cover fixed` } : undefined
}

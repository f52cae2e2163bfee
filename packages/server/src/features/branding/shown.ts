import {
  type BrandImageRole,
  type BrandLanguage,
  BrandSettings,
  brandImageRoles,
  defaultPageTitle,
  type PublicBrand,
} from '@leitstand/contract/branding'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import type { ConsolePage } from '../../platform/http/consolePage.ts'
import { domainOfHost } from '../accounts/index.ts'
import { type BrandRow, brandShown, type ImageHashes, readDrawerLinks, readInherited } from './store.ts'

/** Hosts whose brand is remembered; browsers can send any name. */
const hostsMax = 2000
/** Changes are announced; this bounds what a lost announcement costs. */
const keptMs = 300_000

/** Path of the images of brands. */
export const imagePath = '/api/theming/image'

/** What is shown under a host. */
export interface Shown {
  brand: PublicBrand
  row: BrandRow | undefined
}

/** The brands by host, remembered until something changes. */
export class ShownBrands {
  readonly #ctx: Context
  readonly #byDomain = new LRUCache<string, Promise<Shown>>({ ...upTo(hostsMax), ttl: keptMs })

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.configChanges.on('brands', () => this.#byDomain.clear())
    // Whether there are terms of use.
    ctx.configChanges.on('accounts', () => this.#byDomain.clear())
  }

  /** @param host as a browser sends it, with or without port; what is no domain gets the installation's brand */
  of(host: string): Promise<Shown> {
    const domain = domainOfHost(this.#ctx.config.publicUrl, host)
    const key = domain ?? ''
    const known = this.#byDomain.get(key)
    if (known) return known
    const found = this.#read(domain)
    this.#byDomain.set(key, found)
    // The caller gets the failure; the next one tries again.
    found.catch(() => this.#byDomain.delete(key))
    return found
  }

  async #read(domain: string | null): Promise<Shown> {
    const { db } = this.#ctx
    const [row, { links }] = await Promise.all([brandShown(db, domain), readDrawerLinks(db)])
    const hasTerms = row !== undefined && (await readInherited(db, row.accountId)).hasTerms
    return {
      row,
      brand: {
        ...publicOf(row),
        hasTerms,
        hasDrawerLinks: links.length > 0 || (row?.settings.grafanaUrl ?? '') !== '',
      },
    }
  }
}

/** Pure. What visitors may know of a brand; undefined: the defaults of the platform. */
function publicOf(row: BrandRow | undefined): Omit<PublicBrand, 'hasTerms' | 'hasDrawerLinks'> {
  const settings = row?.settings ?? BrandSettings.parse({})
  const { pages: _, useCustomBackground, grafanaUrl: __, ...shown } = settings
  const images = pathsOf(row?.images)
  return {
    ...shown,
    isBranded: row !== undefined,
    pages: { de: pageOf(settings, 'de'), en: pageOf(settings, 'en') },
    images: useCustomBackground ? images : { ...images, home: null, login: null },
  }
}

function pageOf({ pages }: BrandSettings, language: BrandLanguage): PublicBrand['pages']['de'] {
  const page = pages[language]
  return {
    title: page.title || defaultPageTitle,
    imprint: { url: page.imprintUrl || null, hasText: page.imprintText.trim() !== '' },
    privacy: { url: page.privacyUrl || null, hasText: page.privacyText.trim() !== '' },
    aboutUrl: page.aboutUrl || null,
    licencesUrl: page.licencesUrl || null,
    copyright: page.copyright,
  }
}

/** Pure. The paths under which browsers get the images. */
export function pathsOf(hashes: ImageHashes | undefined): Record<BrandImageRole, string | null> {
  const path = (role: BrandImageRole) => {
    const hash = hashes?.[role] ?? null
    return hash === null ? null : `${imagePath}/${hash}.png`
  }
  return Object.fromEntries(brandImageRoles.map((role) => [role, path(role)])) as Record<
    BrandImageRole,
    string | null
  >
}

/** The console's page under a brand; null without one: as it was built. */
export function consolePageOf({ brand }: Shown): ConsolePage | null {
  if (!brand.isBranded && !brand.hasDrawerLinks) return null
  return {
    name: brand.isBranded ? brand.pages.de.title : null,
    icon: brand.images.favicon,
    mode: brand.defaultMode,
    language: brand.defaultLanguage,
    colour: brand.lightHighlight,
    data: brand,
  }
}

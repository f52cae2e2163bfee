import { defaultPageTitle } from '@leitstand/contract/branding'
import type { Presence } from '../../platform/brands.ts'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { mountImages } from './images.ts'
import { drawerLinkRoutes } from './links.ts'
import { missingOf } from './missing.ts'
import { brandRoutes } from './routes.ts'
import { consolePageOf, pathsOf, ShownBrands } from './shown.ts'
import { findBrand, nearestBrand } from './store.ts'

export type BrandingFeature = ReturnType<typeof registerBranding>

/** Brands: how the console, emails and reports present themselves under the domains of accounts. */
export function registerBranding(ctx: Context) {
  const shown = new ShownBrands(ctx)
  mountImages(ctx)
  ctx.brands.findWith((db, accountId) => presenceOf(ctx.config.publicUrl, db, accountId))
  return {
    routes: { brand: brandRoutes(ctx, shown), drawerLink: drawerLinkRoutes(ctx, shown) },
    /** What the topmost account has not set up of the pages that are shown under its addresses. */
    missingPages: async (
      accountId: number,
    ): Promise<{ name: boolean; legal: boolean; mailServer: boolean }> => {
      const missing = await missingOf(ctx, accountId)
      const pages = (await findBrand(ctx.db, accountId, ''))?.settings.pages
      return {
        name: !pages || pages.de.title === '' || pages.en.title === '',
        legal: missing.includes('imprint') || missing.includes('privacy'),
        mailServer: missing.includes('mailServer'),
      }
    },
    /** How the page of the console differs under a host; null: as it was built. */
    consolePage: async (host: string) => consolePageOf(await shown.of(host)),
  }
}

async function presenceOf(publicUrl: string, db: Executor, accountId: number): Promise<Presence | null> {
  const brand = await nearestBrand(db, accountId)
  if (!brand) return null
  const { pages, lightHighlight, darkHighlight } = brand.settings
  const { de, en } = pages
  const address = brand.domain === '' ? publicUrl : addressUnder(publicUrl, brand.domain)
  const { logo } = pathsOf(brand.images)
  return {
    accountId: brand.accountId,
    name: { de: de.title || defaultPageTitle, en: en.title || defaultPageTitle },
    publicUrl: address,
    logo: logo === null || logo === undefined ? null : `${new URL(address).origin}${logo}`,
    highlight: { light: lightHighlight, dark: darkHighlight },
  }
}

/** The address of the console under a domain, with scheme, port and path of the public address. */
function addressUnder(publicUrl: string, domain: string): string {
  const url = new URL(publicUrl)
  url.hostname = domain
  return url.href.replace(/\/+$/, '')
}

import { defaultPageTitle } from '@leitstand/contract/branding'
import type { Presence } from '../../platform/brands.ts'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { mountImages } from './images.ts'
import { drawerLinkRoutes } from './links.ts'
import { brandRoutes } from './routes.ts'
import { consolePageOf, pathsOf, ShownBrands } from './shown.ts'
import { nearestBrand } from './store.ts'

/** Brands: how the console, emails and reports present themselves under the domains of accounts. */
export function registerBranding(ctx: Context) {
  const shown = new ShownBrands(ctx)
  mountImages(ctx)
  ctx.brands.findWith((db, accountId) => presenceOf(ctx.config.publicUrl, db, accountId))
  return {
    routes: { brand: brandRoutes(ctx, shown), drawerLink: drawerLinkRoutes(ctx, shown) },
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

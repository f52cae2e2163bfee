import { createHash } from 'node:crypto'
import { type Brand, BrandSettings, brandLimits } from '@leitstand/contract/branding'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { cleanPng } from '../../platform/pictures/png.ts'
import { Turns } from '../../platform/turns.ts'
import { requireAccount } from '../accounts/index.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { domainsOf } from './domains.ts'
import { missingOf } from './missing.ts'
import { pathsOf, type ShownBrands } from './shown.ts'
import {
  type BrandRow,
  deleteBrand,
  deleteImage,
  findBrand,
  listBrands,
  storeBrand,
  storeImage,
} from './store.ts'

/** Images of an account: a burst, then one every ten seconds, because pixels have to be unpacked. */
const imageRate = { perSecond: 1 / 10, burst: 30 }
/** Of a text in the activity log. */
const notedLengthMax = 200

/** Brands of domains: what everybody sees, and what administrators set. */
export function brandRoutes(ctx: Context, shown: ShownBrands) {
  const { db, clock } = ctx
  const turns = new Turns<number>(imageRate)

  /** The account and the stored brand of one of its domains. */
  const managed = async (tx: Executor, caller: Caller, { id, domain }: { id: number; domain: string }) => {
    const account = await requireAccount(tx, id, caller.scopeIds('all', 'manage'))
    if (!(await domainsOf(tx, id)).includes(domain)) throw new AppError('TENANT_DOMAIN_NOT_FOUND', { domain })
    return { account, brand: await findBrand(tx, id, domain) }
  }
  const note = async (
    tx: Executor,
    caller: Caller,
    action: string,
    brand: { id: number; accountId: number; domain: string },
    changes: object,
  ): Promise<void> => {
    const { id, accountId, domain } = brand
    const about = { subject: 'Brand', objectId: id, objectTitle: domain, accountId }
    await recordActivity(tx, caller, { action, ...about, changes })
  }
  /** The stored brand, created with the defaults if there is none. */
  const ensured = async (tx: Executor, accountId: number, domain: string): Promise<BrandRow> => {
    const found = await findBrand(tx, accountId, domain)
    if (found) return found
    await storeBrand(tx, {
      accountId,
      domain,
      version: 0,
      settings: BrandSettings.parse({}),
      at: clock.now(),
    })
    return required(await findBrand(tx, accountId, domain))
  }

  return {
    ofHost: os.brand.ofHost.handler(async ({ input: { host, themeMode } }) => {
      const { brand } = await shown.of(host)
      return { ...brand, highlight: themeMode === 'dark' ? brand.darkHighlight : brand.lightHighlight }
    }),
    page: os.brand.page.handler(async ({ input: { host, language } }) => {
      const { row } = await shown.of(host)
      const page = row?.settings.pages[language]
      return { imprint: page?.imprintText.trim() || null, privacy: page?.privacyText.trim() || null }
    }),
    list: os.brand.list.handler(async ({ input: { id }, context: { caller } }) => {
      await requireAccount(db, id, caller.scopeIds('all', 'manage'))
      const [domains, stored] = await Promise.all([domainsOf(db, id), listBrands(db, id)])
      return {
        items: domains.map((domain) =>
          present(
            domain,
            stored.find((brand) => brand.domain === domain),
          ),
        ),
      }
    }),
    save: os.brand.save.handler(async ({ input, context: { caller } }) => {
      const { id: accountId, domain, version, settings } = input
      return db.transaction().execute(async (tx) => {
        const { brand: before } = await managed(tx, caller, input)
        const id = await storeBrand(tx, { accountId, domain, version, settings, at: clock.now() })
        if (id === undefined) throw new AppError('VERSION_CONFLICT')
        const changes = changesBetween(noted(before?.settings ?? BrandSettings.parse({})), noted(settings))
        await note(tx, caller, before ? 'update' : 'create', { id, accountId, domain }, changes)
        return present(domain, await findBrand(tx, accountId, domain))
      })
    }),
    delete: os.brand.delete.handler(async ({ input, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const { brand } = await managed(tx, caller, input)
        if (!brand) throw new AppError('BRAND_NOT_FOUND')
        await deleteBrand(tx, brand.id)
        await note(tx, caller, 'delete', brand, {})
      })
      return { ok: true as const }
    }),
    setImage: os.brand.setImage.handler(async ({ input, context: { caller } }) => {
      const { id, domain, role, file } = input
      // Before the picture is looked at: others must not make the server work.
      await managed(db, caller, input)
      if (!turns.take(id, clock.now().getTime())) throw new AppError('TOO_MANY_REQUESTS')
      const isSquare = role === 'logo' || role === 'favicon'
      const sideMax = isSquare ? brandLimits.squareSideMax : brandLimits.backgroundSideMax
      const image = await cleanPng(Buffer.from(await file.arrayBuffer()), { sideMax, isSquare })
      if (typeof image === 'string') throw new AppError('BRAND_IMAGE_REFUSED', { reason: image, role })
      const hash = createHash('sha256').update(image.bytes).digest('hex')
      return db.transaction().execute(async (tx) => {
        await managed(tx, caller, input)
        const brand = await ensured(tx, id, domain)
        await storeImage(tx, brand.id, role, { ...image, hash })
        await note(tx, caller, 'update', brand, { [role]: [brand.images[role], hash] })
        return present(domain, await findBrand(tx, id, domain))
      })
    }),
    removeImage: os.brand.removeImage.handler(async ({ input, context: { caller } }) => {
      const { id, domain, role } = input
      return db.transaction().execute(async (tx) => {
        const { brand } = await managed(tx, caller, input)
        if (!brand) throw new AppError('BRAND_NOT_FOUND')
        await deleteImage(tx, brand.id, role)
        await note(tx, caller, 'update', brand, { [role]: [brand.images[role], null] })
        return present(domain, await findBrand(tx, id, domain))
      })
    }),
    setup: os.brand.setup.handler(async ({ input: { id }, context: { caller } }) => {
      await requireAccount(db, id, caller.scopeIds('all', 'manage'))
      return { missing: await missingOf(ctx, id) }
    }),
  }
}

function present(domain: string, row: BrandRow | undefined): Brand {
  return {
    domain,
    settings: row?.settings ?? BrandSettings.parse({}),
    images: pathsOf(row?.images),
    version: row?.version ?? 0,
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new AppError('VERSION_CONFLICT')
  return value
}

/** The settings as flat fields with short texts, for the activity log. */
function noted({ pages, ...rest }: BrandSettings): Record<string, unknown> {
  const ofPages = Object.entries(pages).flatMap(([language, page]) =>
    Object.entries(page).map(([field, text]) => [`${language}.${field}`, text.slice(0, notedLengthMax)]),
  )
  return { ...rest, ...Object.fromEntries(ofPages) }
}

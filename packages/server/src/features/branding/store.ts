import { type BrandImageRole, BrandSettings, brandImageRoles, DrawerLink } from '@leitstand/contract/branding'
import { sql } from 'kysely'
import * as z from 'zod'
import { accountsUp } from '../../platform/db/accountTree.ts'
import { type Executor, jsonb } from '../../platform/db/index.ts'
import type { CleanPng } from '../../platform/pictures/png.ts'

/** Hashes of the images of a brand. */
export type ImageHashes = Readonly<Record<BrandImageRole, string | null>>

/** A stored brand. */
export interface BrandRow {
  id: number
  accountId: number
  domain: string
  version: number
  settings: BrandSettings
  images: ImageHashes
}

const noImages: ImageHashes = { logo: null, favicon: null, home: null, login: null }

function select(db: Executor) {
  return db
    .selectFrom('brands as b')
    .select(['b.id', 'b.account_id as accountId', 'b.domain', 'b.version', 'b.settings'])
    .select(
      sql<Record<string, string> | null>`(select jsonb_object_agg(i.role, i.hash) from brand_images i
        where i.brand_id = b.id)`.as('images'),
    )
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

function toBrand({ images, settings, ...row }: Row): BrandRow {
  const hashes = brandImageRoles.map((role) => [role, images?.[role] ?? null])
  return {
    ...row,
    settings: BrandSettings.parse(settings),
    images: { ...noImages, ...(Object.fromEntries(hashes) as ImageHashes) },
  }
}

/** All brands of an account, also those of domains that it no longer has. */
export async function listBrands(db: Executor, accountId: number): Promise<BrandRow[]> {
  const rows = await select(db).where('b.account_id', '=', accountId).orderBy('b.domain').limit(200).execute()
  return rows.map(toBrand)
}

export async function findBrand(
  db: Executor,
  accountId: number,
  domain: string,
): Promise<BrandRow | undefined> {
  const row = await select(db)
    .where('b.account_id', '=', accountId)
    .where('b.domain', '=', domain)
    .executeTakeFirst()
  return row && toBrand(row)
}

/**
 * The brand shown under a domain: that of the account that has proven it; under a domain that nobody has
 * proven, that of the topmost account for all other addresses.
 */
export async function brandShown(db: Executor, domain: string | null): Promise<BrandRow | undefined> {
  const holder =
    domain === null
      ? undefined
      : await db
          .selectFrom('account_domains')
          .select('account_id')
          .where('domain', '=', domain)
          .where('proven_at', 'is not', null)
          .executeTakeFirst()
  if (holder && domain !== null) return findBrand(db, holder.account_id, domain)
  const row = await select(db)
    .innerJoin('accounts as a', 'a.id', 'b.account_id')
    .where('a.parent_id', 'is', null)
    .where('b.domain', '=', '')
    .executeTakeFirst()
  return row && toBrand(row)
}

/** The brand of an account or the nearest account above that has one under a proven domain. */
export async function nearestBrand(db: Executor, accountId: number): Promise<BrandRow | undefined> {
  const row = await select(db)
    .innerJoin(
      sql<{ id: number; distance: number }>`${accountsUp(accountId)}`.as('up'),
      'up.id',
      'b.account_id',
    )
    .innerJoin('accounts as a', 'a.id', 'b.account_id')
    .leftJoin('account_domains as d', (join) =>
      join
        .onRef('d.account_id', '=', 'b.account_id')
        .onRef('d.domain', '=', 'b.domain')
        .on('d.proven_at', 'is not', null),
    )
    .where((where) =>
      where.or([
        where('d.id', 'is not', null),
        where.and([where('b.domain', '=', ''), where('a.parent_id', 'is', null)]),
      ]),
    )
    .orderBy('up.distance')
    .orderBy(sql`b.domain = ''`)
    .orderBy('b.domain')
    .limit(1)
    .executeTakeFirst()
  return row && toBrand(row)
}

/** @param version what the writer read; 0: there was none @returns its id; undefined when another was faster */
export async function storeBrand(
  tx: Executor,
  brand: { accountId: number; domain: string; version: number; settings: BrandSettings; at: Date },
): Promise<number | undefined> {
  const values = { settings: jsonb(brand.settings), updated_at: brand.at }
  if (brand.version === 0) {
    const added = await tx
      .insertInto('brands')
      .values({ ...values, account_id: brand.accountId, domain: brand.domain })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return added?.id
  }
  const changed = await tx
    .updateTable('brands')
    .set({ ...values, version: brand.version + 1 })
    .where('account_id', '=', brand.accountId)
    .where('domain', '=', brand.domain)
    .where('version', '=', brand.version)
    .returning('id')
    .executeTakeFirst()
  return changed?.id
}

export async function deleteBrand(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('brands').where('id', '=', id).execute()
}

export async function storeImage(
  tx: Executor,
  brandId: number,
  role: BrandImageRole,
  { width, height, bytes, hash }: CleanPng & { hash: string },
): Promise<void> {
  await tx
    .insertInto('brand_images')
    .values({ brand_id: brandId, role, hash, width, height, bytes })
    .onConflict((conflict) =>
      conflict.columns(['brand_id', 'role']).doUpdateSet({ hash, width, height, bytes }),
    )
    .execute()
}

export async function deleteImage(tx: Executor, brandId: number, role: BrandImageRole): Promise<void> {
  await tx.deleteFrom('brand_images').where('brand_id', '=', brandId).where('role', '=', role).execute()
}

export async function findImage(db: Executor, hash: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('brand_images')
    .select('bytes')
    .where('hash', '=', hash)
    .limit(1)
    .executeTakeFirst()
  return row?.bytes
}

/** The links of the drawer; version 0: never set. */
export async function readDrawerLinks(db: Executor): Promise<{ links: DrawerLink[]; version: number }> {
  const row = await db.selectFrom('drawer_links').select(['links', 'version']).executeTakeFirst()
  return row
    ? { links: z.array(DrawerLink).parse(row.links), version: row.version }
    : { links: [], version: 0 }
}

/** @returns false when they were changed in the meantime */
export async function storeDrawerLinks(
  tx: Executor,
  { links, version, at }: { links: readonly DrawerLink[]; version: number; at: Date },
): Promise<boolean> {
  const values = { links: jsonb([...links]), version: version + 1, updated_at: at }
  if (version === 0) {
    const { numInsertedOrUpdatedRows: added } = await tx
      .insertInto('drawer_links')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return added === 1n
  }
  const { numUpdatedRows: changed } = await tx
    .updateTable('drawer_links')
    .set(values)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return changed === 1n
}

export async function isTopmost(db: Executor, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('parent_id', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** What is set up for an account. */
export interface Setup {
  brands: readonly BrandRow[]
  /** those that it can have brands for, see `Brand` */
  domains: readonly string[]
  /** its own, or of an account above */
  hasTerms: boolean
  hasFeedback: boolean
}

/** Terms and recipients of feedback, of the account or one above. */
export async function readInherited(
  db: Executor,
  accountId: number,
): Promise<Pick<Setup, 'hasTerms' | 'hasFeedback'>> {
  const { rows } = await sql<Pick<Setup, 'hasTerms' | 'hasFeedback'>>`
    select bool_or(a.terms is not null) as "hasTerms",
      bool_or(jsonb_array_length(coalesce(a.feedback -> 'bug', '[]'::jsonb)) > 0) as "hasFeedback"
    from ${accountsUp(accountId)} up join accounts a on a.id = up.id`.execute(db)
  return rows[0] ?? { hasTerms: false, hasFeedback: false }
}

import { BrandSettings } from '@leitstand/contract/branding'
import { insertProvenDomain } from '../domains.ts'
import { png } from '../pictures.ts'
import { type Row, row } from './row.ts'
import type { World } from './world.ts'

const settings = BrandSettings.parse({})

/** A domain of the account. */
const domain = async (world: World) => {
  const name = `${world.unique('domain').replace(/\W/g, '').toLowerCase()}.example`
  await insertProvenDomain(world.app, world.own.id, name)
  return { id: world.own.id, domain: name }
}

/** A brand, set by the system administrator. */
const brand = async (world: World) => {
  const whose = await domain(world)
  await world.app.api.brand.save({ ...whose, version: 0, settings })
  return whose
}

/** Brands and drawer links (specification 1, sections 1 to 3). */
export const branding: Record<string, Row> = {
  'brand.ofHost': row({ needs: 'public', call: (api) => api.brand.ofHost({ host: 'iot.example' }) }),
  'brand.page': row({ needs: 'public', call: (api) => api.brand.page({ host: 'iot.example' }) }),
  'brand.list': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.brand.list({ id: own.id }),
  }),
  'brand.save': row({
    needs: 'all manage',
    given: domain,
    call: (api, whose) => api.brand.save({ ...whose, version: 0, settings }),
  }),
  'brand.delete': row({ needs: 'all manage', given: brand, call: (api, whose) => api.brand.delete(whose) }),
  'brand.setImage': row({
    needs: 'all manage',
    given: domain,
    call: (api, whose) =>
      api.brand.setImage({
        ...whose,
        role: 'logo',
        file: new File([new Uint8Array(png(8, 8))], 'logo.png', { type: 'image/png' }),
      }),
  }),
  'brand.removeImage': row({
    needs: 'all manage',
    given: brand,
    call: (api, whose) => api.brand.removeImage({ ...whose, role: 'logo' }),
  }),
  'brand.setup': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.brand.setup({ id: own.id }),
  }),
  'drawerLink.list': row({ needs: 'signed in', call: (api) => api.drawerLink.list({}) }),
  'drawerLink.set': row({
    needs: 'super.system manage',
    given: (world) => world.app.api.drawerLink.list({}),
    call: (api, { version }) => api.drawerLink.set({ links: [], version }),
  }),
}

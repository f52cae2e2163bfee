import { client } from '../../../lib/api.ts'
import { brandStore } from '../../../lib/brand.ts'
import { renameProduct } from '../../../lib/i18n.ts'
import { newestOnly } from './newestOnly.ts'

const read = newestOnly(() => client.brand.ofHost({ host: window.location.hostname }))

/**
 * Shows the brand of this domain after it was changed. An answer that arrives after a newer question is
 * discarded; if there is none, the page stays as it is.
 */
export async function refreshBrand(): Promise<void> {
  try {
    const brand = await read()
    if (brand === undefined) return
    brandStore.set(brand)
    await renameProduct()
  } catch (error) {
    console.error('The brand of this domain could not be read', error)
  }
}

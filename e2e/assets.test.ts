import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** A clinic that looks for its pumps: assets from a list, found on a phone, lent, missing in their zone, on the map. */

const { page, api, platform, accountId, open, button, dialog, says, tabOf } = await startJourney()
const clinic = await api.post<{ id: number }>('/digitaltwin', { accountId, title: 'Clinic', ...place(0, 0) })
const zone = (title: string, north: number) =>
  api.post<{ id: number }>('/digitaltwin', {
    parentId: clinic.id,
    title,
    type: 'zone',
    geoPolygon: { type: 'Polygon', coordinates: [corners(north)] },
  })
const ward = await zone('Ward 3', 0)
const store = await zone('Store', 2)
const hers = await tabOf(await platform.login('admin@localhost'), phone)
const hands = handsOn(hers.page)

const patience = { timeout: 30_000 }

/** Thousandths of a degree from the middle of the clinic. */
function place(north: number, east: number) {
  return { latitude: 53.5 + north / 1000, longitude: 10 + east / 1000 }
}

function corners(north: number) {
  const at = (y: number, x: number) => {
    const { latitude, longitude } = place(north + y, x)
    return [longitude, latitude]
  }
  return [at(-0.5, -0.5), at(-0.5, 0.5), at(0.5, 0.5), at(0.5, -0.5), at(-0.5, -0.5)]
}

interface Found {
  id: number
  title: string
  zone: { title: string } | null
}
const assets = async () =>
  (await api.get<{ items: Found[] }>(`/is-asset-mgmt/fetch?accountIds=${accountId}`)).items

async function put(title: string, where: { latitude: number; longitude: number }, into: string | null) {
  const { id } = (await assets()).find((asset) => asset.title === title) as Found
  await api.put(`/digitaltwin/${id}`, { ...(await api.get<object>(`/digitaltwin/${id}`)), ...where })
  const zoneNow = async () => (await assets()).find((asset) => asset.id === id)?.zone?.title ?? null
  await expect.poll(zoneNow, patience).toBe(into)
  return id
}

describe('assets', () => {
  it('come from a list, and a wrong line is named before anything is created', async () => {
    await open('/is-assetmgmt/assets')
    await says('Noch keine Assets')
    await expectAccessible(page, 'no assets')
    await button('Importieren').first().click()
    const form = handsOn(dialog())
    await form.choice(/^Gehört zu/).fill('Clinic')
    await page
      .getByRole('option', { name: /^Clinic/ })
      .first()
      .click()
    await form
      .field('Liste')
      .fill('Name;Kategorie;Nr.;Heimatzone\nPump 1;Pump;P-1;Store\nPump 2;Pump;P-2;Stor')
    await form.button('2 Assets anlegen').click()
    await form.says('Heimatzone: nicht gefunden')
    expect(await assets()).toEqual([])
    await expectAccessible(page, 'import of assets')
    await form
      .field('Liste')
      .fill('Name;Kategorie;Nr.;Heimatzone\nPump 1;Pump;P-1;Store\nPump 2;Pump;P-2;Store')
    await form.button('2 Assets anlegen').click()
    await dialog().waitFor({ state: 'detached' })
    await says('Pump 2')
    expect((await assets()).map(({ title }) => title)).toEqual(['Pump 1', 'Pump 2'])
  })

  it('are found on a phone: in which zone, and since when', async () => {
    await put('Pump 1', place(2, 0), 'Store')
    const id = await put('Pump 2', place(0.1, 0.1), 'Ward 3')
    await open('/is-assetmgmt/assets', hers.page)
    await hers.page.getByPlaceholder(/^Where is/).fill('p-2')
    await hands.says('Pump 2')
    await hers.page.getByText('Pump 1').waitFor({ state: 'detached' })
    await hands.says('Elsewhere')
    await expectAccessible(hers.page, 'assets on a phone')
    await expectFits(hers.page, 'assets on a phone')
    await hers.page.getByText('Pump 2').first().click()
    await hands.heading('Pump 2').waitFor()
    await hands.says('Stays in zones')
    await hands.says('Ward 3')
    expect(hers.page.url()).toContain(`/is-assetmgmt/assets/${id}`)
    await expectAccessible(hers.page, 'an asset on a phone')
    await expectFits(hers.page, 'an asset on a phone')
  })

  it('are lent until a day, and come back', async () => {
    await hands.button('Lend').click()
    const form = handsOn(hers.page.getByRole('dialog'))
    await form.field(/^To whom/).fill('Ward 5')
    await form.button('Lend').click()
    await hands.button('Returned').waitFor()
    await hands.says('Lent')
    await hands.button('Returned').click()
    await hands.button('Lend').waitFor()
    await hands.says('Loans')
  })

  it('raise an alarm when they leave a zone, with one click, which ends when they are back', async () => {
    await hands.button('Create alarm').click()
    const form = handsOn(hers.page.getByRole('dialog'))
    await expect.poll(() => form.choice('Zone').inputValue(), patience).toBe('Ward 3')
    await expectAccessible(hers.page, 'alarm of an asset on a phone')
    await form.button('Create alarm').click()
    await hands.says('An alarm is raised when the asset leaves “Ward 3”.')
    const open = async () => {
      const { items } = await api.get<{ items: { message: string }[] }>(
        `/alarm-logs?status=unresolved&accountIds=${accountId}`,
      )
      return items.map(({ message }) => message)
    }
    // A rule compares with the position before, so it needs one that it has seen.
    await put('Pump 2', place(0.1, 0.2), 'Ward 3')
    await put('Pump 2', place(9, 9), null)
    await expect.poll(open, patience).toEqual(['“Pump 2” has left “Ward 3”.'])
    await put('Pump 2', place(0.1, 0.1), 'Ward 3')
    await expect.poll(open, patience).toEqual([])
  })

  it('are missing in their zone, which leads to them', async () => {
    await open('/is-assetmgmt/zones')
    const row = page.getByRole('row', { name: /Store/ })
    await row.waitFor()
    await expectAccessible(page, 'zones of assets')
    await row.getByRole('link', { name: '1' }).last().click()
    await says('Pump 2')
    expect(page.url()).toContain(`home=${store.id}`)
    expect(ward.id).not.toBe(store.id)
  })

  it('are on the map', async () => {
    await open('/is-assetmgmt/map')
    await button(/^Pump 2/)
      .first()
      .click()
    await page.getByRole('link', { name: 'Pump 2' }).waitFor()
    await says('Heimatzone')
    await expectAccessible(page, 'map of assets')
    await open('/is-assetmgmt/map', hers.page)
    await hands.says('Asset map')
    await expectFits(hers.page, 'map of assets')
  })
})

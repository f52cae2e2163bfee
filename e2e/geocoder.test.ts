import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startGeocoder, startJourney } from './kit.ts'

/** Addresses are looked up by the server, and chosen by a person. */

interface Twin {
  id: number
  address: string
  latitude: number | null
  longitude: number | null
}

const geocoder = await startGeocoder({ latitude: 48.14, longitude: 11.58 })
const { page, api, open, openAnew, token, tabOf, button, dialog, field, says } = await startJourney({
  uses: [geocoder],
  env: { GEOCODER_URL: geocoder.url, GEOCODER_KIND: 'photon', GEOCODER_PER_SECOND: '50' },
})
const lookup = () => handsOn(dialog().filter({ hasText: 'Adresse oder Ort' }))
let id = 0

it('a new twin gets the address and the place that was chosen', async () => {
  await open('/digitaltwin-mgmt?create=1')
  const form = handsOn(dialog().filter({ hasText: 'Zwilling anlegen' }))
  await form.field('Titel').fill('Rathaus')
  await form.field('Adresse').fill('Markt')
  await form.button('Adresse suchen').click()
  expect(await lookup().field('Adresse oder Ort').inputValue()).toBe('Markt')
  await lookup().field('Adresse oder Ort').fill('Marktplatz 1')
  await page.keyboard.press('Enter')
  await lookup()
    .button(/12345 Musterstadt/)
    .waitFor()
  await says('Daten: © OpenStreetMap contributors.')
  await expectAccessible(page, 'places that were found')
  await lookup()
    .button(/12345 Musterstadt/)
    .click()
  expect(await form.field('Adresse').inputValue()).toBe('Marktplatz 1, 12345 Musterstadt')
  await says('Position: 48,14°, 11,58°')
  await form.button('Zwilling anlegen').click()
  await page.waitForURL(/digitaltwin-mgmt\/\d+/)
  id = Number(/mgmt\/(\d+)/.exec(page.url())?.[1])
  expect(await api.get<Twin>(`/digitaltwin/${id}`)).toMatchObject({
    address: 'Marktplatz 1, 12345 Musterstadt',
    latitude: 48.14,
    longitude: 11.58,
  })
  expect(geocoder.asked).toEqual(['/api?q=Marktplatz+1&lang=de&limit=8'])
})

it('the address of a position is looked up, and does not move it', async () => {
  await openAnew(`/digitaltwin-mgmt/${id}?tab=data`)
  await button('Adresse suchen').click()
  await lookup().button('Adresse der Position suchen').click()
  await lookup()
    .button(/54321 Altdorf/)
    .click()
  expect(await field('Adresse').inputValue()).toBe('Marktplatz 1, 54321 Altdorf')
  await button('Speichern').click()
  await button('Speichern').waitFor({ state: 'detached' })
  expect(await api.get<Twin>(`/digitaltwin/${id}`)).toMatchObject({
    address: 'Marktplatz 1, 54321 Altdorf',
    latitude: 48.14,
    longitude: 11.58,
  })
})

it('fits a phone', async () => {
  const { page: small } = await tabOf(token, phone)
  await openAnew(`/digitaltwin-mgmt/${id}?tab=data`, small)
  await handsOn(small).button('Look up address').click()
  const found = handsOn(small.getByRole('dialog'))
  await found.button('Search').click()
  await found.button(/54321 Altdorf/).waitFor()
  await expectFits(small, 'the look-up of an address')
})

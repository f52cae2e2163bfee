import { describe, expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** The bundled drivers, and installing one. */

const { page, api, open, says } = await startJourney({ isAlone: true })

describe('the driver library', () => {
  it('is reached from the drivers, and found in by maker, model and purpose', async () => {
    await open('/virtual-device-drivers')
    await page.getByRole('button', { name: 'Treiberbibliothek' }).click()
    await page.getByRole('heading', { name: 'Treiberbibliothek' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Adeunis Pulse' }).waitFor()
    await expectAccessible(page, 'driver library')
    await page.getByRole('textbox', { name: 'Hersteller, Modell oder Zweck' }).fill('nwave parking')
    await page.getByRole('main').getByRole('link', { name: 'Nwave NPS405' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Adeunis Pulse' }).waitFor({ state: 'detached' })
  })

  it('installs by one click what is not installed', async () => {
    const { driverId } = await api.get<{ driverId: number }>('/devicedrivers/library/nwave-nps405')
    await api.delete(`/devicedrivers/${driverId}`)
    await page.reload()
    await page.getByRole('button', { name: 'Nwave NPS405 installieren' }).click()
    await says('„Nwave NPS405“ ist installiert und kann für Geräte gewählt werden.')
    await page.getByRole('button', { name: 'Nwave NPS405 installieren' }).waitFor({ state: 'detached' })
  })

  it('shows what a driver reads, and leads to the installed one', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Nwave NPS405' }).click()
    await page.getByRole('heading', { name: 'Nwave NPS405' }).waitFor()
    await page.getByRole('cell', { name: 'occupied' }).waitFor()
    await says('Seit zwei Tagen keine Meldung')
    await expectAccessible(page, 'delivered driver')
    await page.getByRole('link', { name: 'Installierten Treiber öffnen' }).click()
    await page.getByRole('tab', { name: /Versionen/ }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Nwave NPS405')
  })
})

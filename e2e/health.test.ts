import { expect, it } from 'vitest'
import { expectAccessible, expectFits, startJourney } from './kit.ts'

/** Health of a device: configured with the driver, shown at the device, ignored, and its history. */

const script = `module.exports = function (payload) {
  const bytes = Buffer.from(payload, 'hex')
  if (bytes.length === 0) throw new Error('empty')
  return { battery: bytes[0], temperature: bytes[1] }
}`

const { tab, page, platform, token, make, open, button, choice, choose, says, tabOf } = await startJourney()
const { id: connectorId, key } = await make.connector('Netz')
const variables = [{ key: 'battery' }, { key: 'temperature' }]
const { id: driverId } = await make.driver('Raumfühler', script, { variables })
const { id: deviceId } = await make.device('Fühler 12', 'room-12', { connectorId, driverId })

const field = (name: string | RegExp) => page.getByRole('textbox', { name })
/** The badge next to the title of the device. */
const badge = (word: string) =>
  page.getByRole('heading', { level: 1 }).locator('xpath=..').getByText(word, { exact: true }).waitFor()

let sent = 0
/** Battery in percent and temperature; each packet is different. */
async function send(battery: number, temperature = 20): Promise<void> {
  const payload = [battery, temperature, sent++].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const response = await fetch(`${platform.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: 'room-12', payload }),
  })
  expect(response.status).toBe(200)
}

it('says with the driver what can be wrong, and what is missing in it', async () => {
  await open(`/virtual-device-drivers/${driverId}?tab=health`)
  await says('Keine Einträge')
  await expectAccessible(page, 'driver without entries')
  await button('Eintrag hinzufügen').click()
  await button('Speichern und veröffentlichen').click()
  await says('Dieses Format ist ungültig.')
  await field('Kennung').fill('battery.low')
  await choose('Kategorie', 'Batterie')
  await choice('Variable').fill('battery')
  await field(/^Wert/).fill('20')
  await field('Beschreibung').fill('Batterie bald leer: beim nächsten Besuch wechseln')
  await says('Speichern Sie zuerst Ihre Änderungen.')
  await expectAccessible(page, 'driver with an entry')
  await button('Speichern und veröffentlichen').click()
  await says(/Version 2/)
  await says('1 Gerät nutzt diesen Treiber.')
})

it('turns to warning with a packet, and back', async () => {
  await open(`/virtual-devices/${deviceId}?tab=health`)
  await says('Noch kein Paket: Der Zustand ist unbekannt.')
  await send(80)
  await badge('In Ordnung')
  await send(12)
  await badge('Warnung')
  await says('Batterie bald leer: beim nächsten Besuch wechseln')
  await says(/battery < 20/)
  await expectAccessible(page, 'device with a warning')
  await send(90)
  await page.getByRole('row', { name: /Batterie bald leer.*vorbei/ }).waitFor()
  await badge('In Ordnung')
})

it('is ignored, and heeded again', async () => {
  await send(11)
  await badge('Warnung')
  await button('battery.low ignorieren').click()
  await says(/Ignoriert von/)
  await badge('In Ordnung')
  await button('battery.low nicht mehr ignorieren').click()
  await badge('Warnung')
  await page.getByRole('row', { name: /Batterie bald leer.*ignoriert/ }).waitFor()
})

it('is judged by a configuration of its own, in expert mode after a question', async () => {
  await button('Ändern').click()
  await page.getByRole('menuitem', { name: 'Eigene Konfiguration anlegen' }).click()
  const dialog = page.getByRole('dialog', { name: /Eigene Konfiguration/ })
  await dialog.getByRole('switch', { name: 'Expertenmodus' }).click()
  await button('Verwerfen und umschalten').click()
  await dialog
    .getByRole('combobox', { name: /Variablen der Ausdrücke/ })
    .or(dialog.getByRole('textbox', { name: /Variablen der Ausdrücke/ }))
    .first()
    .fill('battery')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Eintrag hinzufügen' }).click()
  await dialog.getByRole('textbox', { name: 'Kennung' }).fill('weak')
  await dialog.getByRole('textbox', { name: 'Ausdruck' }).fill('battery <')
  await dialog.getByRole('button', { name: 'Speichern' }).click()
  await dialog.getByText(/Unexpected token/).waitFor()
  await dialog.getByRole('textbox', { name: 'Ausdruck' }).fill('battery < 50')
  await expectAccessible(page, 'own configuration')
  await dialog.getByRole('button', { name: 'Speichern' }).click()
  await says('Eigene Konfiguration dieses Geräts')
  await badge('Warnung')
  await page.getByRole('row', { name: /Batterie bald leer.*Konfiguration geändert/ }).waitFor()
  await button('Ändern').click()
  await page.getByRole('menuitem', { name: 'Konfiguration des Treibers verwenden' }).click()
  await button('Verwerfen').click()
  await says('Konfiguration des Treibers')
  expect(tab.problems.filter((problem) => !problem.includes('422'))).toEqual([])
})

it.each([
  ['en-GB', 375, true],
  ['de-DE', 375, false],
  ['en-GB', 1440, true],
] as const)('is shown in %s at %i px, dark: %s', async (locale, width, dark) => {
  const theirs = await tabOf(token, { locale, width, dark })
  const other = theirs.page
  for (const [title, path] of [
    ['Fühler 12', `/virtual-devices/${deviceId}?tab=health`],
    ['Raumfühler', `/virtual-device-drivers/${driverId}?tab=health`],
  ] as const) {
    await open(path, other)
    await other.getByRole('heading', { level: 1, name: title }).waitFor()
    await other.getByText('battery.low').first().waitFor()
    await expectFits(other, `${path} in ${locale} at ${width}`)
  }
  await theirs.context.close()
})

/** Answers older than this are read again, which a slow machine reaches while a screen is opened. */
const staleMs = 10_000

it.each([1440, 375])(
  'requests a screen with its first data at once, and nothing in vain, at %i px',
  async (width) => {
    for (const [title, path, heading] of [
      ['device', `/virtual-devices/${deviceId}`, 'Fühler 12'],
      ['devices', '/virtual-devices', /Geräte/],
      ['driver', `/virtual-device-drivers/${driverId}`, 'Raumfühler'],
      ['drivers', '/virtual-device-drivers', /Treiber/],
      ['home', '/home', /Guten/],
      ['twins', '/digitaltwin-mgmt', /Zwillinge/],
      ['rules', '/digitaltwin/rules-monitor', /Regel/],
      ['alarms', '/alarm-logs', /Alarm/],
    ] as const) {
      const theirs = await tabOf(token, { width, height: 800 })
      await theirs.page.goto(`${platform.url}/#${path}`)
      await theirs.page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await theirs.page.waitForLoadState('networkidle')
      const repeated = await theirs.page.evaluate((staleMs) => {
        const seen = new Map<string, number>()
        return performance.getEntriesByType('resource').flatMap(({ name, startTime }) => {
          const before = seen.get(name)
          seen.set(name, startTime)
          return before === undefined || startTime - before > staleMs
            ? []
            : [name.replace(location.origin, '')]
        })
      }, staleMs)
      expect(repeated, title).toEqual([])
      const inVain = await theirs.page.evaluate(() => {
        const { leitstandAsked } = window as { leitstandAsked?: { answers: Map<string, unknown> } }
        return [...(leitstandAsked?.answers.keys() ?? ['nothing was requested'])]
      })
      expect(inVain, title).toEqual([])
      expect(theirs.problems, title).toEqual([])
      await theirs.context.close()
    }
  },
)

import { describe, expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** Parsers without a script, configured from a data sheet. */

const { tab, page, open, button, field, choice, choose, says, tabNamed } = await startJourney()

const picture = () => page.getByRole('list', { name: 'Bytes der Nutzdaten' })

describe('a parser of one layout', () => {
  it('is made after a question, its fields shown in the bytes of a packet', async () => {
    await open('/virtual-device-drivers/new')
    await field('Titel').fill('Zähler nach Datenblatt')
    await tabNamed('Parser').click()
    await choose('Parsertyp', 'Byte-Layout')
    await button('Verwerfen und wechseln').click()
    await field('Variable 1').fill('temperature')
    await field('Länge 1').fill('2')
    await button('Weitere Angaben zu Feld 1').click()
    await field('Faktor 1').fill('0,1')
    await page.getByRole('checkbox', { name: 'Mit Vorzeichen' }).check()
    await button('Feld hinzufügen').click()
    await field('Variable 2').fill('Temperature')
    await field('Länge 2').fill('1')
    await field('Nutzdaten').fill('FF F1 2A')
    await picture().getByText('Byte 0: FF: temperature').waitFor({ state: 'attached' })
    await picture().getByText('Byte 2: 2A: Temperature').waitFor({ state: 'attached' })
    const colours = await picture().evaluate((list) =>
      [...list.querySelectorAll('[data-field]')].map((bit) => getComputedStyle(bit).backgroundColor),
    )
    expect(colours).toHaveLength(24)
    expect(new Set(colours).size).toBe(2)
    await page.getByRole('row', { name: 'temperature -1,5' }).or(page.getByText('-1,5')).first().waitFor()
    await expectAccessible(page, 'single layout')
  })

  it('says what a field cannot be', async () => {
    await field('Länge 2').fill('3')
    await choose('Art 2', 'Gleitkomma')
    await page.getByRole('main').getByRole('button', { name: 'Treiber anlegen' }).click()
    await says('Gleitkommazahlen haben 16, 32 oder 64 Bit.')
    await choose('Art 2', 'Ganzzahl')
    await field('Länge 2').fill('1')
  })

  it('is saved although names differ by case only, when somebody wants it, and published', async () => {
    await button('Als Prüfpaket speichern').click()
    await page.getByRole('main').getByRole('button', { name: 'Treiber anlegen' }).click()
    await says('Namen unterscheiden sich nur in der Groß- und Kleinschreibung')
    await expectAccessible(page, 'names that look alike')
    await button('Trotzdem speichern').click()
    await page.getByRole('heading', { name: 'Zähler nach Datenblatt' }).waitFor()
    await field('Variable 2').fill('humidity')
    await button('Berechnung hinzufügen').click()
    await field('Variable 1').nth(1).fill('dry')
    await field('Ausdruck 1').fill('humidity < 50')
    await field('Was ist neu in Version 2?').fill('Feuchte')
    await expectAccessible(page, 'driver, new version')
    await button('Speichern und veröffentlichen').click()
    await button('Neue Ergebnisse übernehmen').click()
    await says('Version 2 ist veröffentlicht')
    await tabNamed(/^Prüfpakete/).click()
    await says('Alle stimmen')
    await tabNamed(/^Zustand/).click()
    await button('Eintrag hinzufügen').click()
    await field('Kennung').fill('cold')
    await choice('Variable').fill('temperature')
    await choose('Vergleich', '<')
    await field(/^Wert/).fill('10')
    await field('Beschreibung').fill('Zu kalt')
    await tabNamed('Parser').click()
    await says('Zustand daraus')
    await says('Zu kalt')
    await button('Verwerfen').click()
    await tabNamed(/^Versionen/).click()
    await says('dry = humidity < 50')
    // The question about golden packets follows a rejected save.
    expect(tab.problems.filter((text) => !text.includes('409 (Conflict)'))).toEqual([])
  })
})

it('is found among the others by its card, too', async () => {
  await open('/virtual-device-drivers?q=Datenblatt')
  await button('Als Karten zeigen').click()
  await page
    .getByRole('main')
    .getByRole('link', { name: /Zähler nach Datenblatt/ })
    .waitFor()

  // By address: a click would leave a tooltip open over the button.
  await open('/virtual-device-drivers?q=Datenblatt&show=cards')
  await page
    .getByRole('main')
    .getByRole('link', { name: /Zähler nach Datenblatt/ })
    .waitFor()
  await page.mouse.move(0, 0)
  await expectAccessible(page, 'drivers as cards')
  await button('Als Tabelle zeigen').click()
  await page.getByRole('table').waitFor()
})

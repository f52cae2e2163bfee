import { describe, expect, test } from 'vitest'
import { isCommon } from './common.ts'

describe('passwords everybody tries first', () => {
  test.each([
    ...[
      'password',
      'Password1',
      'P@ssw0rd',
      'Passw0rt123!',
      'passwort2024',
      'kennwort1',
      'Welcome1',
      'Willkommen!',
    ],
    ...['12345678', '123456789', '87654321', '11111111', '19841984', '20242024', '123123123', '00000000'],
    ...[
      'qwerty123',
      'qwertz123',
      'qwertyuiop',
      'asdfghjkl',
      'yxcvbnm123',
      '1q2w3e4r',
      '1qaz2wsx',
      'q1w2e3r4t5',
    ],
    ...[
      'abcd1234',
      'abc12345',
      'aaaaaaaa',
      'abababab',
      'iloveyou',
      'ichliebedich',
      'princess1',
      'Prinzessin99',
    ],
    ...[
      'sunshine',
      'Sonnenschein1',
      'football',
      'Fussball!',
      'superman',
      'batman123',
      'trustno1',
      'letmein1',
    ],
    ...[
      'schatzschatz',
      'passwordpassword',
      'adminadmin',
      'Admin123',
      'administrator',
      'changeme',
      'leitstand1',
    ],
    ...['master123', 'dragon12', 'monkey123', 'michael1', 'jennifer', 'Hallo123', 'hallohallo', 'sommer2025'],
    ...['Berlin2024!', 'Deutschland1', 'december24', 'Montag123', 'asdf1234', 'test1234', '!@#$%^&*'],
  ])('%s', (password) => {
    expect(isCommon(password)).toBe(true)
  })
})

describe('passwords nobody tries', () => {
  test.each([
    ...['correct horse battery', 'a long enough passphrase', 'All of it, 4 sure!', 'Something quite new 7'],
    ...['kd83Hs_2', 'Regenwurm im Garten', 'tPx7mQ2k', 'zwölf grüne Enten', '🐘🐘 am Morgen', 'hqvtznkw'],
    ...['8314072596140377', 'wandern-7-Kaffee'],
  ])('%s', (password) => {
    expect(isCommon(password)).toBe(false)
  })
})

test('who somebody is makes no password', () => {
  const own = ['ada.lovelace', 'ada.lovelace@example.org']
  for (const password of ['lovelace1', 'Lovelace2024!', 'l0velace', 'lovelacelovelace'])
    expect(isCommon(password, own)).toBe(true)
  expect(isCommon('lovelace and her engine', own)).toBe(false)
})

import { useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { setLanguage } from '../lib/i18n.ts'
import { onSignIn, useUserDefaults } from '../lib/session.ts'
import { drawerMiniStore } from './drawerState.ts'

/** Applies the personal defaults (language, light or dark, narrow drawer) after sign-in. */
export function UserDefaultsApplier() {
  const { setColorScheme } = useMantineColorScheme()
  useEffect(
    () =>
      onSignIn((user) => {
        const defaults = user.properties.userDefaults
        if (defaults?.language) void setLanguage(defaults.language)
        if (defaults?.uiTheme !== undefined) setColorScheme(defaults.uiTheme ? 'dark' : 'light')
      }),
    [setColorScheme],
  )
  const { miniVariant } = useUserDefaults()
  useEffect(() => {
    if (miniVariant !== undefined) drawerMiniStore.set(miniVariant)
  }, [miniVariant])
  return null
}

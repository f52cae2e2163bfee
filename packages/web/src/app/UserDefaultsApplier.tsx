import { useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { setLanguage } from '../lib/i18n.ts'
import { defaultPageSize } from '../lib/pageSize.ts'
import { onSignIn, useUserDefaults } from '../lib/session.ts'
import { createStoredStore } from '../lib/store.ts'
import { drawerMiniStore } from './drawerState.ts'

/** Rows per page of the user who was signed in last, for `public/boot.js`. */
const pageSizeStore = createStoredStore<number>('pageSize', defaultPageSize, (stored) =>
  typeof stored === 'number' ? stored : undefined,
)

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
  const { miniVariant, pagination } = useUserDefaults()
  useEffect(() => {
    if (miniVariant !== undefined) drawerMiniStore.set(miniVariant)
  }, [miniVariant])
  useEffect(() => {
    pageSizeStore.set(pagination ?? defaultPageSize)
  }, [pagination])
  return null
}

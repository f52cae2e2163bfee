import { Drawer as OverlayDrawer } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from '../lib/store.ts'
import { Drawer } from './Drawer.tsx'
import { drawerOpenStore } from './drawerState.ts'

/** The drawer of small screens lies over the page and closes with each navigation. */
export default function SmallDrawer({ pathname }: { pathname: string }) {
  const { t } = useTranslation()
  const open = useStore(drawerOpenStore)
  const shownFor = useRef(pathname)
  useEffect(() => {
    if (shownFor.current !== pathname) drawerOpenStore.set(false)
    shownFor.current = pathname
  }, [pathname])
  return (
    <OverlayDrawer
      opened={open}
      onClose={() => drawerOpenStore.set(false)}
      size={260}
      padding={0}
      withCloseButton={false}
      title={t('nav.label')}
      styles={{ header: { display: 'none' }, body: { height: '100%', background: 'var(--surface-sunken)' } }}
    >
      <nav aria-label={t('nav.label')} style={{ height: '100%' }}>
        <Drawer mini={false} />
      </nav>
    </OverlayDrawer>
  )
}

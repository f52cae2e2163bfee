import type { Brand, BrandSettings } from '@leitstand/contract/branding'
import { SegmentedControl, useComputedColorScheme } from '@mantine/core'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { brandStore } from '../../../lib/brand.ts'
import { useStore } from '../../../lib/store.ts'
import { brandScreens } from '../slots.ts'
import { PreviewFrame } from './PreviewFrame.tsx'
import classes from './preview.module.css'
import { shownBrand } from './shownBrand.ts'

interface PreviewProps {
  settings: BrandSettings
  images: Brand['images']
  children: ReactNode
}

const modes = ['light', 'dark'] as const
type Mode = (typeof modes)[number]

/** The form, and beside it a real screen of the console with these settings, as they are typed, in the chosen mode. */
export function Preview({ settings, images, children }: PreviewProps) {
  const { t } = useTranslation()
  const shown = useStore(brandStore)
  const own = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const [mode, setMode] = useState<Mode>(own)
  const [key, setKey] = useState(brandScreens.parts[0]?.key)
  const screen = brandScreens.parts.find((each) => each.key === key)
  const brand = useMemo(() => shownBrand(settings, images, shown), [settings, images, shown])
  // Typing is more important than the screen, which follows.
  const followed = useDeferredValue(brand)
  return (
    <div className={classes.beside}>
      <div>{children}</div>
      <aside className={classes.preview} aria-label={t('branding.preview')}>
        <SegmentedControl
          aria-label={t('branding.preview')}
          data={modes.map((value) => ({ value, label: t(`branding.mode.${value}`) }))}
          value={mode}
          onChange={(value) => setMode(value as Mode)}
          fullWidth
        />
        <SegmentedControl
          aria-label={t('branding.previewOf')}
          data={brandScreens.parts.map((each) => ({
            value: each.key,
            label: t(`screens.${each.key}.title`),
          }))}
          value={key ?? ''}
          onChange={setKey}
          fullWidth
        />
        {screen ? <PreviewFrame key={screen.key} screen={screen} mode={mode} brand={followed} /> : null}
      </aside>
    </div>
  )
}

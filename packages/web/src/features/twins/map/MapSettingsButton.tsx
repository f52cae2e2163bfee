import type { MapSettings } from '@leitstand/contract/mapSettings'
import { ActionIcon, Indicator } from '@mantine/core'
import { IconSettings } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../../lib/onDemand.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import type { ShownSettings } from './useMapSettings.ts'

const MapSettingsSheet = onDemand(() => import('./MapSettingsSheet.tsx'))

interface MapSettingsButtonProps {
  /** 0: a map of all twins */
  twinId: number
  title: string | undefined
  shown: ShownSettings & { settings: MapSettings }
}

/** Opens the settings of the map. */
export function MapSettingsButton(props: MapSettingsButtonProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Indicator disabled={!props.shown.isOwn} size={10} color="var(--accent)">
        <ActionIcon
          variant="default"
          aria-label={t('twins.map.settings.open')}
          aria-description={props.shown.isOwn ? t('twins.map.settings.changed') : undefined}
          onClick={() => setOpen(true)}
        >
          <Icon of={IconSettings} size={16} />
        </ActionIcon>
      </Indicator>
      {open ? (
        <Suspense fallback={null}>
          <MapSettingsSheet {...props} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

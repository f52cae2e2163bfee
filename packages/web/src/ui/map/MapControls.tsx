import { ActionIcon } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react'
import type { MapLibreMap } from 'maplibre-gl'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import classes from './map.module.css'

interface MapControlsProps {
  map: MapLibreMap | null
  onFit: () => void
  /** at the lower left */
  corner: ReactNode
  withoutBar: boolean | undefined
  /** below the other buttons */
  children: ReactNode
}

/** The buttons on a map. */
export function MapControls({ map, onFit, corner, withoutBar = false, children }: MapControlsProps) {
  const { t } = useTranslation()
  const animate = !useReducedMotion()
  return (
    <>
      {withoutBar ? null : (
        <div className={classes.controls}>
          <ActionIcon variant="default" aria-label={t('map.zoomIn')} onClick={() => map?.zoomIn({ animate })}>
            <Icon of={IconPlus} size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label={t('map.zoomOut')}
            onClick={() => map?.zoomOut({ animate })}
          >
            <Icon of={IconMinus} size={16} />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={t('map.fit')} onClick={onFit}>
            <Icon of={IconFocusCentered} size={16} />
          </ActionIcon>
          {children}
        </div>
      )}
      {corner ? <div className={classes.corner}>{corner}</div> : null}
    </>
  )
}

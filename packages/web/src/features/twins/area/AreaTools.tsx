import { Button, Group } from '@mantine/core'
import {
  IconArrowBackUp,
  IconCircleDashed,
  IconMapPin,
  IconPointOff,
  IconPolygon,
  IconRectangle,
  IconTrash,
  IconVectorSpline,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconType } from '../../../ui/display/Icon.tsx'
import type { DrawTool } from '../../../ui/map/MapView.tsx'

/** What a click on the map does: set the position, or draw. */
export type AreaTool = DrawTool | 'position'

const icons: Record<AreaTool, IconType> = {
  position: IconMapPin,
  rectangle: IconRectangle,
  polygon: IconPolygon,
  edit: IconVectorSpline,
}

interface AreaToolsProps {
  tool: AreaTool
  onTool: (tool: AreaTool) => void
  canEdit: boolean
  /** missing while there is no position to draw it around */
  onCircle?: (() => void) | undefined
  onUndo?: (() => void) | undefined
  onDeleteCorner?: (() => void) | undefined
  onDelete?: (() => void) | undefined
}

/** The tools above the map. */
export function AreaTools({ tool, onTool, canEdit, onCircle, ...actions }: AreaToolsProps) {
  const { t } = useTranslation()
  const action = (label: string, icon: IconType, onClick: (() => void) | undefined) => (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      leftSection={<Icon of={icon} size={14} />}
      disabled={!onClick}
      onClick={onClick}
    >
      {label}
    </Button>
  )
  const choice = (name: AreaTool) => (
    <Button
      key={name}
      variant={tool === name ? 'filled' : 'default'}
      size="compact-sm"
      leftSection={<Icon of={icons[name]} size={14} />}
      aria-pressed={tool === name}
      disabled={name === 'edit' && !canEdit}
      onClick={() => onTool(name)}
    >
      {t(`geoPolygon.tools.${name}`)}
    </Button>
  )
  return (
    <Group gap={6} role="group" aria-label={t('geoPolygon.tools.label')}>
      {choice('position')}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Icon of={IconCircleDashed} size={14} />}
        disabled={!onCircle}
        onClick={onCircle}
      >
        {t('geoPolygon.tools.circle')}
      </Button>
      {(['rectangle', 'polygon', 'edit'] as const).map(choice)}
      {action(t('geoPolygon.undo'), IconArrowBackUp, actions.onUndo)}
      {tool === 'edit' ? action(t('geoPolygon.deleteCorner'), IconPointOff, actions.onDeleteCorner) : null}
      {action(t('geoPolygon.delete'), IconTrash, actions.onDelete)}
    </Group>
  )
}

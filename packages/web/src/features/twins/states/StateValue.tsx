import type { Level, State } from '@leitstand/contract/states'
import { Tooltip } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconType } from '../../../ui/display/Icon.tsx'
import classes from './states.module.css'
import { stateText } from './text.ts'
import { levelOf } from './values.ts'

const levelIcons: Record<Level, IconType> = {
  ok: IconCircleCheck,
  warning: IconAlertTriangle,
  error: IconAlertCircle,
  invalid: IconCircleX,
}

type Shown = Pick<State, 'value' | 'unit' | 'decimals' | 'lowerBound' | 'upperBound' | 'visualization'>

/** A state's value on one line, with the colour and icon of its level. */
export function StateValue({ state }: { state: Shown }) {
  const level = levelOf(state.value, state)
  return (
    <span className={classes.value} data-level={level ?? undefined}>
      {level === null || level === 'ok' ? null : <LevelIcon level={level} />}
      <span className={classes.valueText}>{stateText(state.value, state)}</span>
    </span>
  )
}

/** A level as an icon, with its name on hover. */
export function LevelIcon({ level, size = 15 }: { level: Level; size?: number }) {
  const { t } = useTranslation()
  const word = t(`states.levels.${level}`)
  return (
    <Tooltip label={word}>
      <span className={classes.level} data-level={level} role="img" aria-label={word}>
        <Icon of={levelIcons[level]} size={size} />
      </span>
    </Tooltip>
  )
}

import type { State } from '@leitstand/contract/states'
import { ActionIcon, UnstyledButton } from '@mantine/core'
import { IconGauge, IconPencil } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { thingIcon } from '../../../ui/display/icons.ts'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { opensHistory } from '../history/useHistoryAddress.ts'
import { Sparkline } from './Sparkline.tsx'
import { LevelIcon } from './StateValue.tsx'
import classes from './states.module.css'
import { isLong, stateText } from './text.ts'
import { type Curve, levelOf } from './values.ts'

interface StateTileProps {
  state: Pick<
    State,
    | 'id'
    | 'title'
    | 'icon'
    | 'unit'
    | 'valueType'
    | 'decimals'
    | 'lowerBound'
    | 'upperBound'
    | 'visualization'
    | 'value'
    | 'time'
  >
  curve: Curve
  onOpen: () => void
  /** sets its value by hand */
  onSet?: () => void
  /** at the bottom, e.g. where the value comes from */
  foot?: ReactNode
}

/** The current value of a state with its last 24 hours; a click opens the history. */
export function StateTile(props: StateTileProps) {
  const { state, curve, onOpen, onSet, foot } = props
  const { t } = useTranslation()
  const level = levelOf(state.value, state)
  const { lowerThreshold, upperThreshold } = state.visualization
  const limits = [
    ...(lowerThreshold === undefined
      ? []
      : [`${t('states.lowerThreshold')} ${stateText(lowerThreshold, state)}`]),
    ...(upperThreshold === undefined
      ? []
      : [`${t('states.upperThreshold')} ${stateText(upperThreshold, state)}`]),
  ]
  return (
    <div className={classes.tile} data-level={level ?? undefined}>
      <UnstyledButton className={classes.tileButton ?? ''} onClick={onOpen} {...opensHistory(state.id)}>
        <span className={classes.tileLabel}>
          <Icon of={thingIcon(state.icon, IconGauge)} size={15} />
          <span>{state.title}</span>
        </span>
        <span className={classes.tileValue} data-long={isLong(state.value) || undefined}>
          {stateText(state.value, { ...state, unit: null })}
          {state.unit && state.value !== null ? <small>{state.unit}</small> : null}
          {level === null || level === 'ok' ? null : <LevelIcon level={level} size={17} />}
        </span>
        {limits.length === 0 ? null : <span className={classes.tileLimits}>{limits.join(' · ')}</span>}
        <span className={classes.tileFoot}>
          <RelativeTime time={state.time} empty={t('states.noValue')} />
          <Sparkline points={curve} width={110} height={32} />
        </span>
        <span className={classes.hidden}>{t('states.openHistory')}</span>
      </UnstyledButton>
      {foot}
      {onSet ? (
        <ActionIcon
          size={26}
          className={classes.tileAction ?? ''}
          onClick={onSet}
          aria-label={t('states.setValueOf', { title: state.title })}
        >
          <Icon of={IconPencil} size={15} />
        </ActionIcon>
      ) : null}
    </div>
  )
}

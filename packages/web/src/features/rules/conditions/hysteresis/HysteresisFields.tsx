import type { Condition, Operand } from '@leitstand/contract/rules'
import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { NumberField } from '../../NumberField.tsx'
import { OperandField } from '../../OperandField.tsx'
import classes from '../../rules.module.css'
import type { FieldsProps } from '../types.ts'

export default function HysteresisFields(props: FieldsProps<Extract<Condition, { op: 'hysteresis' }>>) {
  const { condition, aliases, onChange, children } = props
  const { t } = useTranslation()
  const { input, direction, limit, release } = condition
  return (
    <>
      <OperandField
        label={t('rules.left')}
        value={input}
        aliases={aliases}
        onChange={(chosen) => onChange({ ...condition, input: chosen })}
      />
      {children}
      <Select
        size="xs"
        w={116}
        aria-label={t('rules.direction')}
        allowDeselect={false}
        data={(['above', 'below'] as const).map((each) => ({
          value: each,
          label: t(`rules.directions.${each}`),
        }))}
        value={direction}
        onChange={(chosen) => {
          if (chosen === null || chosen === direction) return
          // The same two numbers the other way round.
          onChange({ ...condition, direction: chosen as typeof direction, limit: release, release: limit })
        }}
      />
      <div className={classes.number}>
        <NumberField
          label={t('rules.limit')}
          value={limit}
          onChange={(next) => onChange({ ...condition, limit: numberOf(next) })}
        />
      </div>
      <span className={classes.word}>{t(`rules.releases.${direction}`)}</span>
      <div className={classes.number}>
        <NumberField
          label={t('rules.release')}
          value={release}
          onChange={(next) => onChange({ ...condition, release: numberOf(next) })}
        />
      </div>
    </>
  )
}

function numberOf(operand: Operand): number {
  return 'value' in operand && typeof operand.value === 'number' ? operand.value : 0
}

import { NumberInput } from '@mantine/core'
import classes from './rules.module.css'

interface CountFieldProps {
  label: string
  /** shown behind the number */
  unit: string
  max: number
  value: number
  onChange: (value: number) => void
}

/** A whole number from 1; empty counts as 1. */
export function CountField({ label, unit, max, value, onChange }: CountFieldProps) {
  return (
    <span className={classes.count}>
      <NumberInput
        size="xs"
        w={72}
        aria-label={label}
        min={1}
        max={max}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        hideControls
        value={value}
        onChange={(next) => onChange(next === '' ? 1 : Math.max(1, Number(next)))}
      />
      <span className={classes.word}>{unit}</span>
    </span>
  )
}

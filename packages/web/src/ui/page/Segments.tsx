import { useId } from 'react'
import { Icon, type IconType } from '../display/Icon.tsx'
import classes from '../ui.module.css'

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon: IconType }[]
  onChange: (value: Value) => void
}

/**
 * A switch between the views of a screen. Mantine's `SegmentedControl` measures itself, which lays out the whole page while it
 * is first shown.
 */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  const name = useId()
  return (
    <div role="radiogroup" aria-label={label} className={classes.segments}>
      {options.map((option) => (
        <label key={option.value} className={classes.segment}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <Icon of={option.icon} size={16} />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  )
}

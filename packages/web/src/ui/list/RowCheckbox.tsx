import type { MouseEvent } from 'react'
import classes from './list.module.css'

interface RowCheckboxProps {
  label: string
  checked: boolean
  indeterminate?: boolean
  onChange: (event: MouseEvent) => void
}

/** The box that selects a row. A list has dozens, so it is a plain element in the look of the other boxes. */
export function RowCheckbox({ label, checked, indeterminate = false, onChange }: RowCheckboxProps) {
  return (
    // The whole cell can be clicked.
    <label className={classes.checkbox}>
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        ref={(input) => {
          if (input) input.indeterminate = indeterminate
        }}
        onChange={ignore}
        // A click, also by keyboard, because only that tells whether Shift is held.
        onClick={onChange}
      />
    </label>
  )
}

const ignore = () => undefined

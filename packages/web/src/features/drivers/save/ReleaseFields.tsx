import { Checkbox, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../drivers.module.css'

interface Release {
  note: string
  publish: boolean
}

export const newRelease: Release = { note: '', publish: true }

/** Note of a new driver version, and whether to publish it. */
export function ReleaseFields(props: {
  number: number
  value: Release
  onChange: (release: Release) => void
}) {
  const { number, value, onChange } = props
  const { t } = useTranslation()
  return (
    <div className={classes.release}>
      <TextInput
        aria-label={t('drivers.save.noteOf', { number })}
        placeholder={t('drivers.save.noteOf', { number })}
        value={value.note}
        onChange={(event) => onChange({ ...value, note: event.currentTarget.value })}
        maxLength={500}
      />
      <Checkbox
        label={t('drivers.publishNow')}
        checked={value.publish}
        onChange={(event) => onChange({ ...value, publish: event.currentTarget.checked })}
      />
    </div>
  )
}

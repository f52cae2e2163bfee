import { Button, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import classes from '../page/layout.module.css'
import { isDuplicate, type Row, toRecord } from './keyValues.ts'
import { RemoveButton } from './RemoveButton.tsx'

interface KeyValueEditorProps {
  label: string
  value: Readonly<Record<string, string>>
  onChange: (value: Record<string, string>) => void
  readOnly?: boolean
  /** Maximum entries; default 100 as in the contract. */
  max?: number
}

/** Rows of key and value. Rows without a key are kept while typing and left out of the value. */
export function KeyValueEditor({ label, value, onChange, readOnly = false, max = 100 }: KeyValueEditorProps) {
  const { t } = useTranslation()
  const next = useRef(0)
  const fromValue = (entries: Readonly<Record<string, string>>): Row[] =>
    Object.entries(entries).map(([key, text]) => ({ id: next.current++, key, value: text }))
  const [rows, setRows] = useState<Row[]>(() => fromValue(value))
  const [seen, setSeen] = useState(value)
  // The value changed externally (reset, other entity): replace the local rows.
  if (value !== seen) {
    setSeen(value)
    if (JSON.stringify(toRecord(rows)) !== JSON.stringify(value)) setRows(fromValue(value))
  }
  const change = (changed: Row[]) => {
    setRows(changed)
    const record = toRecord(changed)
    setSeen(record)
    onChange(record)
  }
  const duplicate = (row: Row) => isDuplicate(rows, row)
  return (
    <fieldset className={classes.fieldset} disabled={readOnly}>
      <legend className={classes.legend}>{label}</legend>
      <Stack gap={6}>
        {rows.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('keyValues.empty')}
          </Text>
        ) : null}
        {rows.map((row) => (
          <div key={row.id} className={classes.keyValue}>
            <TextInput
              aria-label={t('keyValues.key')}
              placeholder={t('keyValues.key')}
              value={row.key}
              maxLength={100}
              error={duplicate(row) ? t('keyValues.duplicate') : null}
              onChange={(event) =>
                change(rows.map((each) => (each === row ? { ...row, key: event.currentTarget.value } : each)))
              }
            />
            <TextInput
              aria-label={t('keyValues.value')}
              placeholder={t('keyValues.value')}
              value={row.value}
              maxLength={1000}
              onChange={(event) =>
                change(
                  rows.map((each) => (each === row ? { ...row, value: event.currentTarget.value } : each)),
                )
              }
            />
            <RemoveButton
              icon={IconX}
              mt={2}
              label={t('keyValues.remove', { key: row.key })}
              onClick={() => change(rows.filter((each) => each !== row))}
            />
          </div>
        ))}
        {readOnly || rows.length >= max ? null : (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => setRows([...rows, { id: next.current++, key: '', value: '' }])}
          >
            {t('keyValues.add')}
          </Button>
        )}
      </Stack>
    </fieldset>
  )
}

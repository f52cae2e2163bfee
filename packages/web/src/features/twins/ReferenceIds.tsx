import { ActionIcon, Button, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './twins.module.css'

/** Maximum reference ids of a twin, as in the contract. */
const referencesMax = 50

interface Reference {
  name: string
  value: string
}

/** Reference ids by which data routing finds a twin: name and value, several may share a name. */
export function ReferenceIds(props: {
  value: readonly Reference[]
  onChange: (value: Reference[]) => void
  readOnly: boolean
}) {
  const { value, onChange, readOnly } = props
  const { t } = useTranslation()
  const next = useRef(0)
  const withIds = (references: readonly Reference[]) =>
    references.map((reference) => ({ ...reference, id: next.current++ }))
  const [rows, setRows] = useState(() => withIds(value))
  const [seen, setSeen] = useState(value)
  const complete = (all: typeof rows) =>
    all
      .filter((row) => row.name.trim() !== '' && row.value.trim() !== '')
      .map((row) => ({ name: row.name.trim(), value: row.value.trim() }))
  // The value changed externally (reset, newer version): replace the local rows.
  if (value !== seen) {
    setSeen(value)
    if (JSON.stringify(complete(rows)) !== JSON.stringify(value)) setRows(withIds(value))
  }
  const change = (changed: typeof rows) => {
    setRows(changed)
    const references = complete(changed)
    setSeen(references)
    onChange(references)
  }
  const set = (id: number, part: Partial<Reference>) =>
    change(rows.map((row) => (row.id === id ? { ...row, ...part } : row)))
  return (
    <Stack gap={6}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('twins.noReferences')}
        </Text>
      ) : null}
      {rows.map((row) => (
        <div key={row.id} className={classes.reference}>
          <TextInput
            aria-label={t('twins.referenceName')}
            placeholder={t('twins.referenceName')}
            value={row.name}
            maxLength={100}
            disabled={readOnly}
            onChange={(event) => set(row.id, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={t('twins.referenceValue')}
            placeholder={t('twins.referenceValue')}
            value={row.value}
            maxLength={200}
            disabled={readOnly}
            onChange={(event) => set(row.id, { value: event.currentTarget.value })}
          />
          {readOnly ? null : (
            <ActionIcon
              aria-label={t('twins.removeReference', { name: row.name })}
              onClick={() => change(rows.filter((each) => each.id !== row.id))}
            >
              <Icon of={IconX} size={16} />
            </ActionIcon>
          )}
        </div>
      ))}
      {readOnly || rows.length >= referencesMax ? null : (
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<Icon of={IconPlus} size={14} />}
          onClick={() => setRows([...rows, { id: next.current++, name: '', value: '' }])}
        >
          {t('twins.addReference')}
        </Button>
      )}
    </Stack>
  )
}

import { Button, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import classes from '../page/layout.module.css'
import { RemoveButton } from './RemoveButton.tsx'
import { useRowIds } from './useRowIds.ts'

interface ReferenceId {
  name: string
  value: string
}

interface ReferenceIdEditorProps {
  label: string
  description?: string
  value: readonly ReferenceId[]
  onChange: (value: ReferenceId[]) => void
  /** Errors by path below the field, e.g. `0.name`. */
  errorAt?: (path: string) => React.ReactNode
  /** Maximum entries; default 50 as in the contract. */
  max?: number
}

/** Rows of name and value; unlike key-values, a name may occur several times. */
export function ReferenceIdEditor(props: ReferenceIdEditorProps) {
  const { label, description, value, onChange, errorAt, max = 50 } = props
  const { t } = useTranslation()
  const ids = useRowIds(value.length)
  const change = (index: number, part: Partial<ReferenceId>) =>
    onChange(value.map((row, at) => (at === index ? { ...row, ...part } : row)))
  const remove = (index: number) => {
    ids.remove(index)
    onChange(value.filter((_, at) => at !== index))
  }
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>{label}</legend>
      <Stack gap={6}>
        {description ? (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        ) : null}
        {value.map((row, index) => (
          <div key={ids.at(index)} className={classes.keyValue}>
            <TextInput
              aria-label={t('referenceIds.name')}
              placeholder={t('referenceIds.name')}
              value={row.name}
              maxLength={100}
              error={errorAt?.(`${index}.name`)}
              onChange={(event) => change(index, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t('referenceIds.value')}
              placeholder={t('referenceIds.value')}
              value={row.value}
              maxLength={200}
              error={errorAt?.(`${index}.value`)}
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
            <RemoveButton
              icon={IconX}
              mt={2}
              label={t('keyValues.remove', { key: row.name })}
              onClick={() => remove(index)}
            />
          </div>
        ))}
        {value.length >= max ? null : (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => onChange([...value, { name: '', value: '' }])}
          >
            {t('keyValues.add')}
          </Button>
        )}
      </Stack>
    </fieldset>
  )
}

import { Button, Radio, Select, Stack, Text } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { choicesMax } from '../../ui/accounts/accountTree.ts'
import { useRoleChoices } from '../../ui/accounts/roles.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import classes from './access.module.css'
import { type AccessLine, emptyLine } from './accessLines.ts'
import { useScopeChoices } from './queries.ts'

interface AccessEditorProps {
  value: readonly AccessLine[]
  onChange: (lines: AccessLine[]) => void
  error?: string | undefined
  disabled?: boolean
}

const linesMax = 200

/** Roles of a user per scope; one scope is the main one. */
export function AccessEditor({ value, onChange, error, disabled = false }: AccessEditorProps) {
  const { t } = useTranslation()
  const scopeChoices = useScopeChoices()
  const { choices: roleChoices = [] } = useRoleChoices()
  const change = (index: number, part: Partial<AccessLine>) =>
    onChange(
      value.map((line, at) => {
        if (at === index) return { ...line, ...part }
        return part.isMain ? { ...line, isMain: false } : line
      }),
    )
  return (
    <Stack gap={10}>
      {value.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('users.access.none')}
        </Text>
      ) : null}
      {value.map((line, index) => (
        <fieldset
          key={line.key}
          className={classes.access}
          aria-label={t('users.access.line', { number: index + 1 })}
        >
          <Select
            className={classes.choice ?? ''}
            aria-label={t('users.access.scope')}
            placeholder={t('users.access.scope')}
            data={scopeChoices}
            limit={choicesMax}
            value={line.scopeId}
            onChange={(scopeId) => change(index, { scopeId })}
            searchable
            disabled={disabled}
            nothingFoundMessage={t('common.nothingFound')}
          />
          <Select
            className={classes.choice ?? ''}
            aria-label={t('users.access.role')}
            placeholder={t('users.access.role')}
            data={roleChoices}
            value={line.roleId}
            onChange={(roleId) => change(index, { roleId })}
            searchable
            disabled={disabled}
            nothingFoundMessage={t('common.nothingFound')}
          />
          <Radio
            label={t('users.access.main')}
            checked={line.isMain}
            onChange={() => change(index, { isMain: true })}
            disabled={disabled}
          />
          <RemoveButton
            icon={IconX}
            label={t('common.remove')}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
            disabled={disabled}
          />
        </fieldset>
      ))}
      {error ? (
        <Text size="sm" c="var(--health-error)" role="alert">
          {error}
        </Text>
      ) : null}
      {disabled || value.length >= linesMax ? null : (
        <div>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconPlus} size={16} />}
            onClick={() => onChange([...value, emptyLine(value)])}
          >
            {t('users.access.add')}
          </Button>
        </div>
      )}
    </Stack>
  )
}

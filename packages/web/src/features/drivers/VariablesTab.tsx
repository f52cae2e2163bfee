import { ValueType } from '@leitstand/contract/states'
import { Alert, Button, Select, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconAlertTriangle, IconPlus, IconVariable, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { UnitField } from '../../ui/forms/UnitField.tsx'
import { type SimpleColumn, SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './drivers.module.css'
import type { Variable } from './queries.ts'
import { alikeNames, type DriverValues } from './values.ts'

const variablesMax = 200
const columns = ['key', 'title', 'unit'] as const
const columnTexts = {
  key: 'drivers.variables.key',
  title: 'drivers.variables.label',
  unit: 'drivers.variables.unit',
} as const

/** Automatic: the type from the layout and the golden packets, else number. */
const types = [undefined, ...ValueType.options] as const

/** The parser's variables, with title, unit and type of the states created from them. */
export function VariablesTab(props: { form: UseFormReturnType<DriverValues>; readOnly: boolean }) {
  const { t } = useTranslation()
  const { form, readOnly } = props
  const { variables } = form.getValues()
  const alike = alikeNames(form.getValues())
  const typeText = (type: ValueType | undefined) =>
    type === undefined ? t('states.automatic') : t(`states.valueTypes.${type}`)
  const add = (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<Icon of={IconPlus} size={16} />}
      disabled={readOnly || variables.length >= variablesMax}
      onClick={() => form.insertListItem('variables', { key: '', title: '', unit: '' })}
    >
      {t('drivers.variables.add')}
    </Button>
  )
  return (
    <Section
      title={t('drivers.variables.title')}
      description={t('drivers.variables.text')}
      actions={variables.length > 0 && !readOnly ? add : undefined}
      flush
    >
      {alike.length > 0 ? (
        <Alert color="yellow" variant="light" m="md" icon={<Icon of={IconAlertTriangle} />}>
          {t('drivers.variables.alike', { names: alike.join(', ') })}
        </Alert>
      ) : null}
      {variables.length === 0 ? (
        <EmptyState
          icon={IconVariable}
          title={t('drivers.variables.none')}
          text={t('drivers.variables.noneText')}
          action={readOnly ? undefined : add}
          compact
        />
      ) : (
        <SimpleTable
          label={t('drivers.variables.title')}
          rows={variables}
          rowKey={(_, index) => form.key(`variables.${index}`)}
          spacing={6}
          inset="md"
          minWidth={680}
          columns={[
            ...columns.map(
              (column): SimpleColumn<Variable> => ({
                key: column,
                title: t(columnTexts[column]),
                className: classes.top,
                render: (variable, index) =>
                  readOnly ? (
                    <Text size="sm" className={column === 'key' ? classes.mono : undefined}>
                      {variable[column] || '–'}
                    </Text>
                  ) : column === 'unit' ? (
                    <UnitField
                      aria-label={`${t(columnTexts[column])} ${index + 1}`}
                      {...form.getInputProps(`variables.${index}.${column}`)}
                    />
                  ) : (
                    <TextInput
                      aria-label={`${t(columnTexts[column])} ${index + 1}`}
                      {...form.getInputProps(`variables.${index}.${column}`)}
                    />
                  ),
              }),
            ),
            {
              key: 'type',
              title: t('states.valueType'),
              width: 170,
              className: classes.top,
              render: (variable, index) =>
                readOnly ? (
                  <Text size="sm">{typeText(variable.valueType)}</Text>
                ) : (
                  <Select
                    aria-label={`${t('states.valueType')} ${index + 1}`}
                    data={types.map((type) => ({ value: type ?? '', label: typeText(type) }))}
                    value={variable.valueType ?? ''}
                    allowDeselect={false}
                    onChange={(chosen) =>
                      form.setFieldValue(
                        `variables.${index}.valueType`,
                        types.find((type) => type === chosen),
                      )
                    }
                  />
                ),
            },
            {
              key: 'remove',
              title: t('common.remove'),
              width: 48,
              card: 'menu',
              className: classes.top,
              render: (variable, index) =>
                readOnly ? null : (
                  <RemoveButton
                    icon={IconX}
                    label={t('drivers.variables.remove', { key: variable.key || index + 1 })}
                    onClick={() => form.removeListItem('variables', index)}
                  />
                ),
            },
          ]}
        />
      )}
    </Section>
  )
}

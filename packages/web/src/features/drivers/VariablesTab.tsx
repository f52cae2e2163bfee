import { ValueType } from '@leitstand/contract/states'
import { ActionIcon, Alert, Button, Select, Table, Text, TextInput, VisuallyHidden } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconAlertTriangle, IconPlus, IconVariable, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ScrollBox } from '../../ui/page/ScrollBox.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './drivers.module.css'
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
        <ScrollBox label={t('drivers.variables.title')}>
          <Table verticalSpacing={6} horizontalSpacing="md" miw={680}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column}>{t(columnTexts[column])}</Table.Th>
                ))}
                <Table.Th w={170}>{t('states.valueType')}</Table.Th>
                <Table.Th w={48}>
                  <VisuallyHidden>{t('common.remove')}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {variables.map((variable, index) => (
                <Table.Tr key={form.key(`variables.${index}`)}>
                  {columns.map((column) => (
                    <Table.Td key={column} valign="top">
                      {readOnly ? (
                        <Text size="sm" className={column === 'key' ? classes.mono : undefined}>
                          {variable[column] || '–'}
                        </Text>
                      ) : (
                        <TextInput
                          aria-label={`${t(columnTexts[column])} ${index + 1}`}
                          {...form.getInputProps(`variables.${index}.${column}`)}
                        />
                      )}
                    </Table.Td>
                  ))}
                  <Table.Td valign="top">
                    {readOnly ? (
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
                    )}
                  </Table.Td>
                  <Table.Td valign="top">
                    {readOnly ? null : (
                      <ActionIcon
                        aria-label={t('drivers.variables.remove', { key: variable.key || index + 1 })}
                        onClick={() => form.removeListItem('variables', index)}
                      >
                        <Icon of={IconX} size={16} />
                      </ActionIcon>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </Section>
  )
}

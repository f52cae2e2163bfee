import type { State } from '@leitstand/contract/states'
import { conversionOf } from '@leitstand/contract/units'
import { Alert, Button, Code, Group, Radio, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { StateForm } from './form.ts'
import { limitsIn, transformerOf, unitChangeOf } from './unitChange.ts'

interface UnitChangeNoticeProps {
  form: UseFormReturnType<StateForm>
  state: State
  isComputed: boolean
}

/** Asks what a new unit means for the stored values, and shows the limits in the unit they will have. */
export function UnitChangeNotice({ form, state, isComputed }: UnitChangeNoticeProps) {
  const { t } = useTranslation()
  const { unit, unitChange, valueType, transformer } = form.values
  const [from, to] = [state.unit, unit.trim()]
  const change = state.valueType === valueType ? unitChangeOf(from, to, { isComputed, valueType }) : 'none'
  const wanted = change === 'convertible' && unitChange === 'values' ? to : from
  const limitsUnit = useRef(from)
  useEffect(() => {
    if (limitsUnit.current === wanted) return
    form.setValues(limitsIn(form.getValues(), limitsUnit.current, wanted))
    limitsUnit.current = wanted
  }, [form, wanted])
  if (change === 'none') return null
  if (change !== 'convertible')
    return (
      <Alert color="gray" p="sm">
        {t(`states.unitChange.${change === 'computed' ? 'computed' : 'other'}`, { from, to })}
      </Alert>
    )
  const how = conversionOf(from, to)
  return (
    <Alert color="gray" p="sm">
      <Stack gap="sm">
        <Radio.Group
          label={t('states.unitChange.question')}
          value={unitChange}
          onChange={(chosen) => form.setFieldValue('unitChange', chosen === 'values' ? 'values' : 'label')}
        >
          <Stack gap={6} mt={6}>
            <Radio value="label" label={t('states.unitChange.label', { to })} />
            <Radio value="values" label={t('states.unitChange.values', { from, to })} />
          </Stack>
        </Radio.Group>
        {unitChange === 'values' ? (
          <>
            <Text size="sm">{t('states.unitChange.valuesHint', { to })}</Text>
            <Text size="sm">{t('states.unitChange.notConverted')}</Text>
            {how !== null && transformer.trim() === '' && state.source !== 'none' ? (
              <Group gap="xs">
                <Text size="sm">{t('states.unitChange.transformer', { from })}</Text>
                <Code>{transformerOf(how)}</Code>
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => form.setFieldValue('transformer', transformerOf(how))}
                >
                  {t('states.unitChange.useTransformer')}
                </Button>
              </Group>
            ) : null}
          </>
        ) : null}
      </Stack>
    </Alert>
  )
}

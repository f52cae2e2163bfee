import { Button, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { DriverValues } from '../values.ts'
import classes from './parser.module.css'

const calculatedMax = 50

/** Variables computed from the parser's variables. */
export function CalculatedEditor(props: { form: UseFormReturnType<DriverValues>; readOnly: boolean }) {
  const { t } = useTranslation()
  const { form, readOnly } = props
  const { calculated } = form.getValues()
  return (
    <Section
      title={t('drivers.calculated.title')}
      description={t('drivers.calculated.text')}
      actions={
        readOnly ? undefined : (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconPlus} size={16} />}
            disabled={calculated.length >= calculatedMax}
            onClick={() => form.insertListItem('calculated', { key: '', expression: '' })}
          >
            {t('drivers.calculated.add')}
          </Button>
        )
      }
    >
      {calculated.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('drivers.calculated.none')}
        </Text>
      ) : (
        calculated.map((_each, index) => (
          <div key={form.key(`calculated.${index}`)} className={classes.calculated}>
            <TextInput
              classNames={{ root: classes.mono ?? '' }}
              aria-label={`${t('drivers.variables.key')} ${index + 1}`}
              placeholder="dew_point"
              spellCheck={false}
              disabled={readOnly}
              {...form.getInputProps(`calculated.${index}.key`)}
            />
            <Textarea
              className={classes.expression ?? ''}
              classNames={{ root: classes.mono ?? '' }}
              aria-label={`${t('drivers.calculated.expression')} ${index + 1}`}
              placeholder="temperature * 1.8 + 32"
              autosize
              minRows={1}
              maxRows={8}
              spellCheck={false}
              disabled={readOnly}
              {...form.getInputProps(`calculated.${index}.expression`)}
            />
            {readOnly ? null : (
              <RemoveButton
                icon={IconX}
                mt={4}
                label={t('drivers.calculated.remove', { number: index + 1 })}
                onClick={() => form.removeListItem('calculated', index)}
              />
            )}
          </div>
        ))
      )}
    </Section>
  )
}

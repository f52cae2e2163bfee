import { downlinkEncodings, downlinkLimits, encodeDownlink } from '@leitstand/contract/downlinkPayload'
import { PredefinedDownlink } from '@leitstand/contract/downlinks'
import { Button, Group, NumberInput, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconSend, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Section } from '../../../ui/Section.tsx'
import driver from '../drivers.module.css'
import type { DriverValues } from '../values.ts'
import { BytesPreview } from './BytesPreview.tsx'
import classes from './downlinks.module.css'
import { ParameterRow } from './ParameterRow.tsx'
import { ValueFields } from './ValueFields.tsx'
import { firstValues, newDownlink, newParameter, nextBit } from './values.ts'

interface DownlinksTabProps {
  form: UseFormReturnType<DriverValues>
  readOnly: boolean
}

/** What can be sent to the devices of a driver, each with a place to try it. */
export function DownlinksTab({ form, readOnly }: DownlinksTabProps) {
  const { t } = useTranslation()
  const { downlinks } = form.getValues()
  const add = () =>
    form.insertListItem('downlinks', newDownlink(nameOfNext(downlinks, t('downlinks.newName'))))
  const button =
    readOnly || downlinks.length >= downlinkLimits.predefinedMax ? undefined : (
      <Button variant="default" leftSection={<Icon of={IconPlus} size={16} />} onClick={add}>
        {t('downlinks.add')}
      </Button>
    )
  if (downlinks.length === 0)
    return (
      <EmptyState
        icon={IconSend}
        title={t('downlinks.none')}
        text={t('downlinks.noneText')}
        {...(button ? { action: button } : {})}
      />
    )
  return (
    <div className={driver.stack}>
      {downlinks.map((downlink, index) => (
        <DownlinkEditor
          key={form.key(`downlinks.${index}`)}
          form={form}
          index={index}
          downlink={downlink}
          readOnly={readOnly}
        />
      ))}
      {button ? <Group>{button}</Group> : null}
    </div>
  )
}

function nameOfNext(downlinks: readonly { name: string }[], name: string): string {
  const taken = new Set(downlinks.map((each) => each.name))
  for (let number = downlinks.length + 1; ; number++)
    if (!taken.has(`${name} ${number}`)) return `${name} ${number}`
}

function DownlinkEditor(props: DownlinksTabProps & { index: number; downlink: PredefinedDownlink }) {
  const { t } = useTranslation()
  const { form, index, downlink, readOnly } = props
  const path = `downlinks.${index}`
  const { parameters } = downlink
  const plain = { disabled: readOnly }
  return (
    <Section
      title={downlink.name || t('downlinks.newName')}
      actions={
        readOnly ? undefined : (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconTrash} size={16} />}
            aria-label={t('downlinks.removeNamed', { name: downlink.name })}
            onClick={() => form.removeListItem('downlinks', index)}
          >
            {t('downlinks.remove')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        <div className={classes.fields}>
          <TextInput
            {...plain}
            label={t('downlinks.name')}
            required
            {...form.getInputProps(`${path}.name`)}
          />
          <NumberInput
            {...plain}
            label={t('downlinks.port')}
            required
            min={1}
            max={downlinkLimits.portMax}
            allowDecimal={false}
            {...form.getInputProps(`${path}.port`)}
          />
          <Select
            {...plain}
            label={t('downlinks.encoding')}
            data={downlinkEncodings.map((each) => ({ value: each, label: t(`downlinks.encodings.${each}`) }))}
            allowDeselect={false}
            {...form.getInputProps(`${path}.encoding`)}
          />
          <Switch
            {...plain}
            label={t('downlinks.confirmed')}
            {...form.getInputProps(`${path}.confirmed`, { type: 'checkbox' })}
          />
          <TextInput
            {...plain}
            className={classes.wide ?? ''}
            classNames={{ input: classes.mono ?? '' }}
            label={t('downlinks.payload')}
            description={t('downlinks.payloadHint')}
            required
            spellCheck={false}
            {...form.getInputProps(`${path}.payload`)}
          />
          <TextInput
            {...plain}
            className={classes.wide ?? ''}
            label={t('downlinks.description')}
            {...form.getInputProps(`${path}.description`)}
          />
          <TagsInput
            {...plain}
            className={classes.wide ?? ''}
            label={t('downlinks.gateways')}
            description={t('downlinks.gatewaysHint')}
            acceptValueOnBlur
            {...form.getInputProps(`${path}.gateways`)}
          />
        </div>
        <ul className={classes.parameters}>
          {parameters.map((parameter, at) => (
            <ParameterRow
              key={form.key(`${path}.parameters.${at}`)}
              form={form}
              path={`${path}.parameters.${at}`}
              parameter={parameter}
              number={at + 1}
              readOnly={readOnly}
              onRemove={() => form.removeListItem(`${path}.parameters`, at)}
            />
          ))}
        </ul>
        {readOnly || parameters.length >= downlinkLimits.parametersMax ? null : (
          <Group>
            <Button
              variant="default"
              size="compact-md"
              leftSection={<Icon of={IconPlus} size={16} />}
              onClick={() =>
                form.insertListItem(
                  `${path}.parameters`,
                  newParameter('integer', {
                    ...{ key: `value${parameters.length + 1}`, title: '', startBit: nextBit(parameters) },
                  }),
                )
              }
            >
              {t('downlinks.addParameter')}
            </Button>
          </Group>
        )}
        <TryOut downlink={downlink} />
      </Stack>
    </Section>
  )
}

/** The bytes a downlink becomes with values entered here; nothing is sent. */
function TryOut({ downlink }: { downlink: PredefinedDownlink }) {
  const { t } = useTranslation()
  const [entered, setEntered] = useState<Record<string, number | boolean | string>>({})
  const checked = PredefinedDownlink.safeParse(downlink)
  if (!checked.success)
    return (
      <Text size="sm" c="dimmed">
        {t('downlinks.tryLater')}
      </Text>
    )
  const { parameters } = checked.data
  const values = { ...firstValues(parameters), ...entered }
  const encoded = encodeDownlink(checked.data, values)
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t('downlinks.try')}
      </Text>
      <ValueFields
        parameters={parameters}
        values={values}
        onChange={setEntered}
        fault={encoded.ok ? undefined : encoded}
      />
      <BytesPreview encoded={encoded} />
    </Stack>
  )
}

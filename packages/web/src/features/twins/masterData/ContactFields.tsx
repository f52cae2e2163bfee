import { type Contact, contactsMax } from '@leitstand/contract/twins'
import { ActionIcon, Button, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { IconMail, IconPhone, IconPlus } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconType } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { useRowIds } from '../../../ui/forms/useRowIds.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { mailLink, phoneLink } from './contactLinks.ts'
import classes from './contacts.module.css'

interface ContactFieldsProps {
  value: readonly Contact[]
  onChange: (contacts: Contact[]) => void
  /** Errors by path below the field, e.g. `0.name`. */
  errorAt: (path: string) => React.ReactNode
  editable: boolean
}

const empty: Contact = { name: '', role: '', phone: '', email: '' }

/** Whom to call about a twin: rows of name, role, phone and email, with buttons to call and to write. */
export function ContactFields({ value, onChange, errorAt, editable }: ContactFieldsProps) {
  const { t } = useTranslation()
  const ids = useRowIds(value.length)
  const remove = (index: number) => {
    ids.remove(index)
    onChange(value.filter((_, at) => at !== index))
  }
  return (
    <Section title={t('contacts.title')} description={t('contacts.text')}>
      <Stack gap="md">
        {value.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('contacts.none')}
          </Text>
        ) : null}
        {value.map((contact, index) => {
          const field = (name: keyof Contact, maxLength: number): ComponentProps<typeof TextInput> => ({
            label: t(`contacts.${name}`),
            value: contact[name],
            maxLength,
            error: errorAt(`${index}.${name}`),
            onChange: (event) => {
              const changed = { ...contact, [name]: event.currentTarget.value }
              onChange(value.map((row, at) => (at === index ? changed : row)))
            },
          })
          return (
            <fieldset key={ids.at(index)} className={classes.contact} aria-label={contact.name}>
              <TextInput {...field('name', 200)} required />
              <TextInput {...field('role', 100)} />
              <TextInput
                {...field('phone', 50)}
                type="tel"
                rightSection={
                  <Reach icon={IconPhone} to={phoneLink(contact.phone)} label={t('contacts.call')} />
                }
              />
              <TextInput
                {...field('email', 200)}
                type="email"
                rightSection={
                  <Reach icon={IconMail} to={mailLink(contact.email)} label={t('contacts.write')} />
                }
              />
              {editable ? (
                <RemoveButton
                  mt={27}
                  label={t('contacts.remove', { name: contact.name })}
                  onClick={() => remove(index)}
                />
              ) : null}
            </fieldset>
          )
        })}
        {editable && value.length < contactsMax ? (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => onChange([...value, empty])}
          >
            {t('contacts.add')}
          </Button>
        ) : null}
      </Stack>
    </Section>
  )
}

function Reach({ icon, to, label }: { icon: IconType; to: string | null; label: string }) {
  return to === null ? null : (
    <Tooltip label={label}>
      <ActionIcon component="a" href={to} aria-label={label} size={28}>
        <Icon of={icon} size={16} />
      </ActionIcon>
    </Tooltip>
  )
}

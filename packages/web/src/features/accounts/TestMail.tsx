import { Address, type MailServerInput } from '@leitstand/contract/mails'
import { Alert, Button, Code, Stack, TextInput } from '@mantine/core'
import { IconCircleCheck, IconMailExclamation, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { useUser } from '../../lib/session.ts'
import { check as checkWith } from '../../lib/validation.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { placeError } from '../../ui/forms/placeError.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { Section } from '../../ui/page/Section.tsx'
import classes from './accounts.module.css'

const addressFaults = checkWith(z.object({ to: Address }))

interface TestMailProps {
  accountId: number
  /** as entered; absent: what is stored or inherited */
  server: MailServerInput | undefined
  /** validates the form and shows its errors; true if the values can be tried */
  check: () => boolean
  /** no server is configured */
  closed: boolean
}

/** Sends a test mail with the unsaved form values and shows the server's reply. */
export function TestMail({ accountId, server, check, closed }: TestMailProps) {
  const { t } = useTranslation()
  const user = useUser()
  const [to, setTo] = useState(user.email)
  const { faults, attempt, refuse } = useFieldFaults(() => ({ to: to.trim() }), addressFaults)
  const test = useMutation({
    mutationFn: () =>
      client.tenant.testMailServer({ id: accountId, to: to.trim(), ...(server ? { server } : {}) }),
    onError: (error) => refuse(placeError(error, { to }).placed),
  })
  const send = () => {
    if (closed || test.isPending) return
    const isFine = Object.keys(attempt()).length === 0
    if (check() && isFine) test.mutate()
  }
  return (
    <Section title={t('mailServer.test.title')} description={t('mailServer.test.hint')}>
      <Stack gap="sm">
        <div className={classes.line}>
          <TextInput
            label={t('mailServer.test.to')}
            type="email"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
            error={faults.to}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // This form is nested in the server form, which must not be submitted.
              event.preventDefault()
              send()
            }}
          />
          <Button
            onClick={send}
            variant="default"
            leftSection={<Icon of={IconSend} />}
            loading={test.isPending}
            disabled={closed}
          >
            {t('mailServer.test.send')}
          </Button>
        </div>
        <div role="status">
          {test.isSuccess ? (
            <Alert
              color="green"
              icon={<Icon of={IconCircleCheck} />}
              title={t('mailServer.test.taken', { host: test.data.host, port: test.data.port })}
            >
              <Code block>{test.data.reply}</Code>
            </Alert>
          ) : null}
          {test.isError ? <Refusal error={test.error} /> : null}
        </div>
      </Stack>
    </Section>
  )
}

/** The stage that failed, and the server's reply. */
function Refusal({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const { text, details } = describeError(error)
  const { step, reply } = details
  const said = typeof step === 'string' && typeof reply === 'string'
  return (
    <Alert
      color="red"
      icon={<Icon of={IconMailExclamation} />}
      title={said ? t(`mailServer.step.${step}`) : t('mailServer.test.failed')}
    >
      {said ? <Code block>{reply}</Code> : text}
    </Alert>
  )
}

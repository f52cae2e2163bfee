import type { MyDoor } from '@leitstand/contract/keys'
import { Button, Group, Loader, Modal, PinInput, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleX,
  IconClock,
  IconDoor,
  IconHelpCircle,
  IconLockOpen,
  IconSend,
  IconWifiOff,
} from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FavoriteStar } from '../../../ui/display/FavoriteStar.tsx'
import { Icon, type IconType } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import classes from '../keys.module.css'
import { ownZone, reasonText, resultOf, validityText } from '../words.ts'
import { useOpenDoor } from './useOpenDoor.ts'
import { type DoorState, isPressable, type Press, stateOf } from './view.ts'

const codeLength = 6

const looks: Record<DoorState, { icon: IconType; tone: 'accent' | 'ok' | 'warning' | 'error' | 'quiet' }> = {
  ready: { icon: IconDoor, tone: 'accent' },
  sending: { icon: IconSend, tone: 'quiet' },
  requested: { icon: IconSend, tone: 'quiet' },
  opened: { icon: IconLockOpen, tone: 'ok' },
  sent: { icon: IconSend, tone: 'accent' },
  failed: { icon: IconCircleX, tone: 'error' },
  noAnswer: { icon: IconHelpCircle, tone: 'warning' },
  refused: { icon: IconCircleX, tone: 'error' },
  throttled: { icon: IconClock, tone: 'quiet' },
  notYet: { icon: IconClock, tone: 'quiet' },
  hours: { icon: IconClock, tone: 'quiet' },
  offline: { icon: IconWifiOff, tone: 'quiet' },
  noPosition: { icon: IconAlertTriangle, tone: 'warning' },
  lost: { icon: IconHelpCircle, tone: 'warning' },
  error: { icon: IconCircleX, tone: 'error' },
}

interface DoorCardProps {
  door: MyDoor
  online: boolean
  /** the address is that of this door: its button comes into view and has the focus */
  isMeant: boolean
}

/** A door with its button. */
export function DoorCard({ door, online, isMeant }: DoorCardProps) {
  const { t } = useTranslation()
  const { press, open } = useOpenDoor(door)
  const [isAsking, setAsking] = useState(false)
  const state = stateOf(door, press, online)
  const { icon, tone } = looks[state]
  const isBusy = state === 'sending' || state === 'requested'
  const titleId = useId()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isMeant) button.current?.focus()
  }, [isMeant])
  return (
    <>
      <Group gap={8} wrap="nowrap" align="flex-start" justify="space-between">
        <div className={classes.name}>
          <Title order={2} size="h3" id={titleId}>
            {door.title}
          </Title>
          {door.above.length === 0 ? null : (
            <Text size="sm" c="dimmed">
              {door.above.join(' › ')}
            </Text>
          )}
        </div>
        <FavoriteStar type="lock" objectId={door.lockId} title={door.title} />
      </Group>
      <UnstyledButton
        ref={button}
        className={classes.open}
        data-tone={tone}
        aria-describedby={titleId}
        // It keeps the focus while it waits for the answer.
        aria-disabled={!isPressable(state)}
        onClick={() => {
          if (!isPressable(state)) return
          if (door.needsCode) setAsking(true)
          else void open()
        }}
      >
        {isBusy ? <Loader size={26} color="currentColor" /> : <Icon of={icon} size={30} />}
        <span>{t(`keys.state.${state}`)}</span>
      </UnstyledButton>
      <Text size="sm" role="status" className={classes.said}>
        {textOf(t, state, press)}
      </Text>
      <Text size="sm" c="dimmed">
        {validityText(t, door, ownZone())}
        <LastTime door={door} />
      </Text>
      {isAsking ? (
        <CodeDialog
          title={door.title}
          onClose={() => setAsking(false)}
          onCode={(code) => {
            setAsking(false)
            void open(code)
          }}
        />
      ) : null}
    </>
  )
}

function LastTime({ door: { last } }: { door: MyDoor }) {
  const { t } = useTranslation()
  if (last === null) return null
  return (
    <>
      {' · '}
      {t('keys.last', { result: t(`keys.result.${resultOf(last)}`) })}{' '}
      <RelativeTime time={last.requestedAt} />
    </>
  )
}

/** What happened, and what to do next. */
function textOf(t: TFunction, state: DoorState, press: Press | undefined): string {
  if (press?.kind === 'error' && state === 'error') return press.text
  if (press?.kind === 'activated' && state === 'failed')
    return reasonText(t, press.activation) || t('keys.said.failed')
  if (press?.kind === 'refused' && state === 'refused')
    return press.metres === undefined
      ? t(`keys.refusal.${press.reason}`)
      : t('keys.metresAway', { count: press.metres })
  if (press?.kind === 'refused' && state === 'throttled')
    return t('keys.again', { count: press.seconds ?? 1 })
  return state === 'ready' ? '' : t(`keys.said.${state}`)
}

interface CodeDialogProps {
  title: string
  onClose: () => void
  onCode: (code: string) => void
}

function CodeDialog({ title, onClose, onCode }: CodeDialogProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const isWhole = code.length === codeLength
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isWhole) onCode(code)
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t('keys.codeText')}</Text>
          <PinInput
            length={codeLength}
            type="number"
            oneTimeCode
            autoFocus
            size="md"
            value={code}
            onChange={setCode}
            getInputProps={(index) => ({ 'aria-label': t('keys.digit', { index: index + 1 }) })}
          />
          <Button type="submit" size="md" fullWidth disabled={!isWhole}>
            {t('keys.state.ready')}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCamera, IconCameraOff } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'
import { useLeave } from '../../../ui/forms/useLeave.tsx'
import classes from '../create.module.css'
import { type DeviceLabel, type LabelReading, readLabel } from './lorawanQr.ts'
import { type CameraFault, cameraFaultOf, scan } from './scan.ts'

interface QrDialogProps {
  opened: boolean
  onClose: () => void
  onTake: (label: DeviceLabel) => void
}

/** Reads a device's label: with the camera, or as text from a hand scanner or the clipboard. */
export default function QrDialog({ opened, onClose, onTake }: QrDialogProps) {
  const { t } = useTranslation()
  return (
    <FormModal opened={opened} onClose={onClose} title={t('devices.qr.title')} size="md">
      <QrForm onClose={onClose} onTake={onTake} />
    </FormModal>
  )
}

function QrForm({ onClose, onTake }: Omit<QrDialogProps, 'opened'>) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const { question } = useLeave(text.trim() !== '', onClose)
  const [fault, setFault] = useState<'unknown' | 'checksum'>()
  const [filming, setFilming] = useState(false)
  const [cameraFault, setCameraFault] = useState<CameraFault>()
  // Browsers offer no camera without a secure connection.
  const camera = navigator.mediaDevices !== undefined
  const take = (reading: LabelReading) => {
    if ('label' in reading) onTake(reading.label)
    else setFault(reading.fault)
  }
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          // The dialog is nested in the wizard's form, which must not be submitted.
          event.stopPropagation()
          take(readLabel(text))
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t('devices.qr.text')}
            description={t('devices.qr.hint')}
            placeholder="LW:D0:…"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setFault(undefined)
            }}
            error={fault && !filming ? t(`devices.qr.${fault}`) : null}
            autoComplete="off"
            spellCheck={false}
            maxLength={400}
            data-autofocus
          />
          <Group justify="space-between">
            {camera ? (
              <Button
                variant="default"
                leftSection={<Icon of={filming ? IconCameraOff : IconCamera} size={16} />}
                onClick={() => {
                  setFault(undefined)
                  setCameraFault(undefined)
                  setFilming(!filming)
                }}
              >
                {t(filming ? 'devices.qr.stop' : 'devices.qr.camera')}
              </Button>
            ) : (
              <Text size="sm" c="dimmed">
                {t('devices.qr.insecure')}
              </Text>
            )}
            <Button type="submit">{t('devices.qr.take')}</Button>
          </Group>
        </Stack>
      </form>
      {cameraFault ? (
        <Alert color="yellow" role="alert">
          {t(`devices.qr.cameraFault.${cameraFault}`)}
        </Alert>
      ) : null}
      {filming ? (
        <Camera
          onText={(read) => take(readLabel(read))}
          fault={fault}
          onFault={(found) => {
            setCameraFault(found)
            setFilming(false)
          }}
        />
      ) : null}
      {question}
    </Stack>
  )
}

interface CameraProps {
  onText: (text: string) => void
  fault: string | undefined
  /** the camera cannot be used; nothing is shown any more */
  onFault: (fault: CameraFault) => void
}

function Camera({ onText, fault, onFault }: CameraProps) {
  const { t } = useTranslation()
  const video = useRef<HTMLVideoElement>(null)
  const latest = useRef({ onText, onFault })
  useEffect(() => {
    latest.current = { onText, onFault }
  })
  useEffect(() => {
    const ending = new AbortController()
    if (video.current) {
      scan(video.current, (text) => latest.current.onText(text), ending.signal).catch((error) => {
        if (!ending.signal.aborted) latest.current.onFault(cameraFaultOf(error))
      })
    }
    return () => ending.abort()
  }, [])
  return (
    <div>
      <video ref={video} className={classes.video} muted playsInline aria-label={t('devices.qr.picture')} />
      <Text size="sm" c={fault ? 'red' : 'dimmed'} mt={6} role="status">
        {t(fault ? `devices.qr.${fault}` : 'devices.qr.aim')}
      </Text>
    </div>
  )
}

import type { AnnouncementType, OwnAnnouncement } from '@leitstand/contract/announcements'
import { CloseButton } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconBroadcast, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { webLink } from '../../lib/webLink.ts'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import classes from './announcements.module.css'

const typeIcons: Readonly<Record<AnnouncementType, IconType>> = {
  info: IconBroadcast,
  warning: IconAlertTriangle,
  error: IconAlertCircle,
  success: IconCircleCheck,
}

interface NoteProps {
  note: Pick<OwnAnnouncement, 'type' | 'presentationType' | 'text' | 'link'>
  /** absent: it cannot be closed here */
  onClose?: (() => void) | undefined
}

/** An announcement as users see it: a bar above the page, or a box on the home page. */
export function Note({ note: { type, presentationType, text, link }, onClose }: NoteProps) {
  const { t } = useTranslation()
  const target = webLink(link?.url)
  return (
    <div className={classes.note} data-type={type} data-presentation={presentationType}>
      <Icon of={typeIcons[type]} />
      {/* Isolated: text of another direction does not turn what is around it. */}
      <p className={classes.text} dir="auto">
        <strong>{t(`announcements.types.${type}`)}:</strong> {text}
        {link && target ? (
          <>
            {' '}
            <a {...target} className={classes.link}>
              {link.text}
            </a>
          </>
        ) : null}
      </p>
      {onClose ? (
        <CloseButton
          size={28}
          c="inherit"
          aria-label={t('announcements.close', { text: text.slice(0, 60) })}
          onClick={onClose}
        />
      ) : null}
    </div>
  )
}

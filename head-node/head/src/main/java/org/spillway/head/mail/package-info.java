/** Mail to users through the site's SMTP server. */
@NullMarked
package org.spillway.head.mail;

import org.jspecify.annotations.NullMarked;

package org.spillway.stage.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.buffer.ByteArrayBuffer;
import org.apache.sshd.sftp.client.SftpErrorDataHandler;
import org.apache.sshd.sftp.client.SftpVersionSelector;
import org.apache.sshd.sftp.client.impl.DefaultSftpClient;
import org.apache.sshd.sftp.client.impl.SftpResponse;
import org.apache.sshd.sftp.common.SftpConstants;
import org.apache.sshd.sftp.common.SftpException;
import org.jspecify.annotations.Nullable;

/** An SFTP client that does not wait for one answer before it asks the next question: a round trip is 40 ms far away. */
final class QuickSftp extends DefaultSftpClient {
    private static final int ATTRIBUTES_BYTES = 128;

    QuickSftp(ClientSession session) throws IOException {
        super(session, SftpVersionSelector.CURRENT, SftpErrorDataHandler.EMPTY);
    }

    /** Attributes of each path, links not followed, in one round trip; null for what is not there. */
    List<@Nullable Attributes> look(List<String> paths) throws IOException {
        List<Integer> asked = new ArrayList<>(paths.size());
        for (String path : paths) {
            Buffer question = putReferencedName(
                    SftpConstants.SSH_FXP_LSTAT, new ByteArrayBuffer(path.length() + Long.SIZE, false), path, 0);
            if (getVersion() >= SftpConstants.SFTP_V4) {
                question.putUInt(SftpConstants.SSH_FILEXFER_ATTR_ALL);
            }
            asked.add(send(SftpConstants.SSH_FXP_LSTAT, question));
        }
        List<@Nullable Attributes> found = new ArrayList<>(paths.size());
        SftpException refused = null;
        for (int i = 0; i < asked.size(); i++) {
            // All of them are taken, whatever the first one says: an answer that is left behind is nobody's.
            SftpResponse answer = SftpResponse.parse(SftpConstants.SSH_FXP_LSTAT, receive(asked.get(i)));
            try {
                found.add(checkAttributesResponse(answer));
            } catch (SftpException e) {
                found.add(null);
                refused = refused == null && !isAbsence(e) ? e : refused;
            }
        }
        if (refused != null) {
            throw refused;
        }
        return found;
    }

    static boolean isAbsence(SftpException e) {
        return e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE || e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_PATH;
    }

    /** Has attributes of an open file set before anything that is sent later. @return for {@link #checkSet} */
    int set(Handle handle, Attributes attributes) throws IOException {
        Buffer order = new ByteArrayBuffer(ATTRIBUTES_BYTES, false);
        order.putBytes(handle.getIdentifier());
        writeAttributes(SftpConstants.SSH_FXP_FSETSTAT, order, attributes);
        return send(SftpConstants.SSH_FXP_FSETSTAT, order);
    }

    /** Waits until the far side has done it. @throws SftpException if it would not */
    void checkSet(int order) throws IOException {
        checkResponseStatus(SftpResponse.parse(SftpConstants.SSH_FXP_FSETSTAT, receive(order)));
    }
}
